import type { CallOptions } from "@tablekeep/core";
import { commitWriteId } from "../append/is-live.ts";
import type { JournalContext } from "../journal-context.ts";
import { damaged, trimmed } from "../journal-refusals.ts";
import { readMarks } from "../position/read-marks.ts";
import { type EventRow, firstOfBatch, type JournalRow, lastOfBatch } from "../rows/event-row.ts";
import { readRows } from "./read-rows.ts";

/** The numbers of a replay. */
export interface ReplayRange {
  readonly from: number;
  /** Fixed before the first page is read, so that no write that commits meanwhile is met. */
  readonly to: number;
  /** The low mark; everything below it is deleted. */
  readonly low: number;
}

/** How often a transaction that a query shows only in part is read again. */
const maxRereads = 10;

/** The live events of a range, atomic write by atomic write: each whole or not at all. */
export async function* replayWrites(
  context: JournalContext,
  persistenceId: string,
  range: ReplayRange,
  options: CallOptions,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  const reading = new Reading(context, persistenceId, range, options);
  for await (const page of readRows(context, persistenceId, range, options)) {
    for (const row of page) {
      for (const write of await reading.take(row)) yield write;
      if (reading.ended) return;
    }
  }
  for (const write of await reading.finish()) yield write;
}

/** One pass over the rows of an id. */
class Reading {
  readonly #context: JournalContext;
  readonly #persistenceId: string;
  readonly #range: ReplayRange;
  readonly #options: CallOptions;
  /** The next number that is due. */
  #expected: number;
  /** The rows so far of a batch that is not whole yet. */
  #batch: EventRow[] = [];
  /** The last row that was given. */
  #previous: EventRow | undefined;
  /** The commit record that was looked up last; rows of one batch follow each other. */
  #commit: { readonly first: number; readonly writeId: string | undefined } | undefined;
  /** A batch that the upper end cuts has been met. */
  ended = false;

  constructor(context: JournalContext, persistenceId: string, range: ReplayRange, options: CallOptions) {
    this.#context = context;
    this.#persistenceId = persistenceId;
    this.#range = range;
    this.#options = options;
    this.#expected = range.from;
  }

  /** Takes the next row; gives the writes that are whole with it. */
  async take(row: JournalRow): Promise<EventRow[][]> {
    const [current] = this.#batch;
    if (
      current !== undefined &&
      row.kind === "event" &&
      isSameWrite(row, current) &&
      row.sequenceNr === this.#expected
    ) {
      return this.#grow(row);
    }
    const writes = current === undefined ? [] : await this.#readAgain(current);
    if (row.sequenceNr < this.#expected) return writes;
    if (row.sequenceNr > this.#expected) await this.#checkHole(row);
    this.#expected = row.sequenceNr + 1;
    const event = await this.#eventOf(row);
    if (event.batch === undefined) return [...writes, ...this.#give([event])];
    if (lastOfBatch(event) > this.#range.to) {
      this.ended = true;
      return writes;
    }
    return [...writes, ...(await this.#grow(event))];
  }

  /** There are no more rows. */
  async finish(): Promise<EventRow[][]> {
    const [current] = this.#batch;
    return current === undefined ? [] : this.#readAgain(current);
  }

  async #grow(row: EventRow): Promise<EventRow[][]> {
    this.#batch.push(row);
    this.#expected = row.sequenceNr + 1;
    if (row.sequenceNr < lastOfBatch(row)) return [];
    const [first] = this.#batch as [EventRow];
    // Begun in the middle of a batch: the rest counts only if what comes before it is there too.
    if (first.sequenceNr > this.#firstLive(first)) return this.#readAgain(first);
    const whole = this.#batch;
    this.#batch = [];
    return this.#give(whole);
  }

  #give(write: EventRow[]): EventRow[][] {
    this.#previous = write[write.length - 1];
    return [write];
  }

  #firstLive(row: EventRow): number {
    return Math.max(this.#range.low, firstOfBatch(row), 1);
  }

  /** Reads a whole batch again; gives what is asked for of it, or nothing if a row is missing for good. */
  async #readAgain(row: EventRow): Promise<EventRow[][]> {
    this.#batch = [];
    const from = this.#firstLive(row);
    const to = lastOfBatch(row);
    for (let reread = 0; reread < maxRereads; reread++) {
      const rows: EventRow[] = [];
      for await (const page of readRows(this.#context, this.#persistenceId, { from, to }, this.#options)) {
        for (const each of page) if (each.kind === "event" && isSameWrite(each, row)) rows.push(each);
      }
      if (rows.length === to - from + 1) {
        this.#expected = to + 1;
        return this.#give(rows.filter((each) => each.sequenceNr >= row.sequenceNr));
      }
      // The original's batches are not atomic: a part that stays a part does not count.
      if (row.writeId === undefined) return [];
    }
    return this.#fail(row.sequenceNr, "a batch of which only a part is there");
  }

  /** The event of a row that counts. What is neither that nor deleted is damage. */
  async #eventOf(row: JournalRow): Promise<EventRow> {
    if (row.kind === "tombstone") return this.#fail(row.sequenceNr, "a tombstone");
    if (!row.staged || (await this.#isCommitted(row))) return row;
    return this.#fail(row.sequenceNr, "a row that was never committed");
  }

  async #isCommitted(row: EventRow): Promise<boolean> {
    const first = firstOfBatch(row);
    if (this.#commit?.first !== first) {
      const writeId = await commitWriteId(this.#context, this.#persistenceId, first, this.#options);
      this.#commit = { first, writeId };
    }
    return this.#commit.writeId === row.writeId;
  }

  /** A number without a row: the original leaves such holes, we never do. */
  async #checkHole(next: JournalRow): Promise<void> {
    const byOriginal = (row: JournalRow | undefined) => row !== undefined && row.writeId === undefined;
    if (byOriginal(next) || byOriginal(this.#previous)) return;
    await this.#fail(this.#expected, "no row");
  }

  /** A number whose event is gone: deleted since the replay began, or damage. */
  async #fail(sequenceNr: number, found: string): Promise<never> {
    const { low } = await readMarks(this.#context, this.#persistenceId, this.#options);
    if (low <= sequenceNr) throw damaged(this.#persistenceId, sequenceNr, found);
    throw trimmed(this.#persistenceId, sequenceNr, low, this.#previous !== undefined);
  }
}

function isSameWrite(one: EventRow, other: EventRow): boolean {
  if (one.writeId !== other.writeId || one.writerUuid !== other.writerUuid || !one.batch || !other.batch)
    return false;
  return firstOfBatch(one) === firstOfBatch(other) && lastOfBatch(one) === lastOfBatch(other);
}
