import type { CallOptions, Item, Key } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { isJournalError, type JournalError } from "../errors/journal-error.ts";
import { itemRows, itemSpan } from "../protocol/item-rows.ts";
import { type IsLive, liveness } from "../protocol/liveness.ts";
import { readPosition } from "../protocol/position.ts";
import { readItems } from "../protocol/read-rows.ts";
import { damaged } from "../protocol/write-errors.ts";
import { type ReplaySettings, replayFilter } from "../replay/replay-limit.ts";
import { type EventRow, firstOfBatch, isMoved, type JournalRow } from "../rows/event-row.ts";
import { packedWrite } from "../rows/packed-item.ts";
import { corruptItem, groupWrites, isStaged, type JournalWrite, withoutTags } from "./journal-write.ts";

/** An item of a journal that does not show which writes it contains, or that is missing. */
export interface UnreadableItem {
  readonly persistenceId: string;
  /** The sequence number of its key. */
  readonly sequenceNr: number;
  readonly key: Key;
  /** The error, with its code and what to do. */
  readonly error: JournalError;
}

/** Called for each item that cannot be read. An error that it throws ends reading. */
export type OnUnreadableItem = (item: UnreadableItem) => void;

const corruptCodes = [
  "JOURNAL_ITEM_CORRUPT",
  "JOURNAL_ROW_CORRUPT",
  "JOURNAL_CHECKSUM_MISMATCH",
  "JOURNAL_SEQUENCE_NR_UNSAFE",
] as const;

/** Whether an item cannot be decoded. */
export function isCorrupt(error: unknown): error is JournalError {
  return corruptCodes.some((code) => isJournalError(error, code));
}

/** Whether the stored items of an id prevent a replay. */
export function isDamage(error: unknown): boolean {
  return isCorrupt(error) || isJournalError(error, "JOURNAL_DAMAGED");
}

/** A damaged part of an id. */
export interface DamagedPart {
  readonly persistenceId: string;
  readonly from: number;
  readonly onUnreadable: OnUnreadableItem;
}

/**
 * Returns the writes of an id that cannot be replayed, in order, item by item. A corrupt item counts as the write that its attributes describe; it is
 * reported if they describe none.
 */
export async function* damagedWrites(
  context: JournalContext,
  settings: ReplaySettings,
  part: DamagedPart,
  call: CallOptions,
): AsyncGenerator<JournalWrite, void, undefined> {
  const { persistenceId } = part;
  const { low, highest } = await readPosition(context, persistenceId, call, "counts");
  const from = Math.max(part.from, low, 1);
  const walk = new DamagedWalk(context, settings, { ...part, from }, call);
  let last: JournalWrite | undefined;
  for await (const page of readItems(context, persistenceId, { from, to: highest }, call)) {
    for (const item of page) {
      for (const write of await walk.take(item)) {
        // Another item of the same write.
        if (last?.first === write.first && last.mark === write.mark) continue;
        last = write;
        yield write;
      }
    }
  }
}

/** Reads the items of an id in order, whatever they contain. */
class DamagedWalk {
  readonly #context: JournalContext;
  readonly #part: DamagedPart;
  readonly #isLive: IsLive;
  readonly #passes: (row: EventRow) => boolean;
  /** The next expected sequence number. */
  #next: number;
  /** Whether the number of events of the previous item is unknown. */
  #isAfterUnreadable = false;

  constructor(context: JournalContext, settings: ReplaySettings, part: DamagedPart, call: CallOptions) {
    this.#context = context;
    this.#part = part;
    this.#next = part.from;
    this.#isLive = liveness(context, part.persistenceId, call);
    this.#passes = replayFilter(settings.replayFilter, () => {});
  }

  /** Returns the writes of the next item. */
  async take(item: Item): Promise<readonly JournalWrite[]> {
    const { packed } = this.#context.layout;
    if (packed !== undefined && packed.roleOf(item) !== "event") return [];
    let rows: readonly JournalRow[];
    try {
      rows = itemRows(this.#context, this.#part.persistenceId, item);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      return this.#takeCorrupt(item, error);
    }
    const events: EventRow[] = [];
    for (const row of rows) if (await this.#counts(row)) events.push(row as EventRow);
    // The other items of a write have tags too.
    return groupWrites(events).map(withoutTags);
  }

  #takeCorrupt(item: Item, error: JournalError): readonly JournalWrite[] {
    const { persistenceId } = this.#part;
    const { first, last } = itemSpan(this.#context, persistenceId, item);
    if (last < this.#next) return [];
    const isTombstone = item["tomb"]?.BOOL === true;
    const isDescribed = !isStaged(item) && describesWrite(this.#context, item, first);
    this.#next = isTombstone || isDescribed ? last + 1 : Math.max(this.#next, first + 1);
    if (isTombstone) return [];
    if (isDescribed) return corruptItem(this.#context, persistenceId, item);
    this.#isAfterUnreadable = true;
    this.#report(first, error);
    return [];
  }

  /** Whether a row is an event that counts. */
  async #counts(row: JournalRow): Promise<boolean> {
    if (row.sequenceNr < this.#next || isMoved(row) || !(await this.#isLive(row))) return false;
    if (row.kind === "tombstone") {
      this.#next = (row.last ?? row.sequenceNr) + 1;
      return false;
    }
    // The original leaves holes.
    const isGap = row.writeId !== undefined && row.aboveHole !== true && firstOfBatch(row) > this.#next;
    if (isGap && !this.#isAfterUnreadable)
      this.#report(this.#next, damaged(this.#part.persistenceId, this.#next, "no row"));
    this.#isAfterUnreadable = false;
    this.#next = row.sequenceNr + 1;
    return row.deleted !== true && this.#passes(row);
  }

  #report(sequenceNr: number, error: JournalError): void {
    const { persistenceId, onUnreadable } = this.#part;
    const key = this.#context.layout.eventKey(persistenceId, sequenceNr);
    onUnreadable({ persistenceId, sequenceNr, key, error });
  }
}

/** Whether the attributes of an item show that it is one write, or part of one. Which events a row of ours was written with is in the row. */
function describesWrite({ layout }: JournalContext, item: Item, first: number): boolean {
  return layout.packed === undefined ? item["wid"] === undefined : packedWrite(item, first) !== undefined;
}
