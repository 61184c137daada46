import type { CallOptions } from "@tablekeep/core";
import { pauseBeforeRetry } from "../context/calls.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { readPosition } from "../protocol/position.ts";
import { readRows } from "../protocol/read-rows.ts";
import { type EventRow, firstOfBatch, isSameWrite, lastOfBatch } from "../rows/event-row.ts";
import type { JournalWrite } from "./journal-write.ts";

/** The events of one batch. */
type WriteRange = Pick<JournalWrite, "persistenceId" | "first" | "last" | "mark">;

/** The number of times that a batch which may be in flight is read again. With the pauses in between, it has several seconds. */
const maxRereads = 9;

/** Replays a range of an id; with the mark 0, the rows of all writers. */
type ReplayWrite = (range: WriteRange) => Promise<readonly EventRow[]>;

/**
 * The batches of the original that the rows of a page belong to. Its rows appear one by one, and a feed gets each of them before it is known
 * whether they count, which only the complete batch shows.
 */
export class OriginalBatches {
  readonly #context: JournalContext;
  readonly #replay: ReplayWrite;
  readonly #call: CallOptions;
  /** The rows of a batch are adjacent in a feed. */
  #last: { readonly row: EventRow; readonly rows: readonly EventRow[] } | undefined;

  constructor(context: JournalContext, replay: ReplayWrite, call: CallOptions) {
    this.#context = context;
    this.#replay = replay;
    this.#call = call;
  }

  /** Returns the rows of a row's batch that are not deleted; none if the batch is incomplete. */
  async rowsOf(row: EventRow): Promise<readonly EventRow[]> {
    const { persistenceId } = row;
    const isLast = this.#last?.row.persistenceId === persistenceId && isSameWrite(row, this.#last.row);
    if (this.#last === undefined || !isLast) this.#last = { row, rows: await this.#read(row) };
    return this.#last.rows;
  }

  async #read(row: EventRow): Promise<readonly EventRow[]> {
    const range = {
      persistenceId: row.persistenceId,
      first: firstOfBatch(row),
      last: lastOfBatch(row),
      mark: 0,
    };
    for (let retry = 0; ; retry++) {
      const rows = await this.#replay(range);
      const own = rows.filter((each) => isSameWrite(each, row));
      if (own.length > 0 || retry >= maxRereads || !(await this.#isUnderWay(row))) return own;
      await pauseBeforeRetry(this.#context, retry, this.#call);
    }
  }

  /** Returns whether the missing rows of a batch may still appear, because nothing was written since. */
  async #isUnderWay(row: EventRow): Promise<boolean> {
    const { persistenceId, sequenceNr } = row;
    const { low, highest } = await readPosition(this.#context, persistenceId, this.#call);
    if (sequenceNr < low || highest > lastOfBatch(row)) return false;
    const span = { from: Math.max(firstOfBatch(row), low, 1), to: highest };
    for await (const page of readRows(this.#context, persistenceId, span, this.#call))
      for (const each of page) if (each.kind !== "event" || !isSameWrite(each, row)) return false;
    return true;
  }
}
