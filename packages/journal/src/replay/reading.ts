import type { CallOptions } from "@tablekeep/core";
import { type IsLive, liveness } from "../append/is-live.ts";
import type { JournalContext } from "../journal-context.ts";
import { type EventRow, firstOfBatch, type JournalRow, lastOfBatch } from "../rows/event-row.ts";
import { readRows } from "./read-rows.ts";
import type { ReplayRange } from "./replay-rows.ts";

/** Rows that count, in order. */
export interface GivenRows {
  readonly rows: readonly EventRow[];
  /**
   * Undefined for events that were written one by one. For those of one atomic write, which if it is large comes in
   * several parts: how many events it gives in all; 0 if this is not its first part.
   */
  readonly whole?: number | undefined;
}

/** What a page of rows gives, up to the place where it cannot go on. */
export interface GivenPage {
  readonly given: readonly GivenRows[];
  readonly gap?: Gap | undefined;
}

/** A number where an event should be and is not: not visible yet, deleted meanwhile, or damage. Never leaves the replay. */
export class Gap extends Error {
  readonly sequenceNr: number;
  readonly found: string;

  constructor(sequenceNr: number, found: string) {
    super(found);
    this.sequenceNr = sequenceNr;
    this.found = found;
  }
}

/** How far back the row before a hole is looked for. */
const maxHole = 100;

/** One pass over the rows of an id. Throws a {@link Gap} where it cannot go on. */
export class Reading {
  readonly #context: JournalContext;
  readonly #persistenceId: string;
  readonly #range: ReplayRange;
  readonly #options: CallOptions;
  #isLive: IsLive;
  /** The next number that is due. */
  #expected: number;
  /** The rows so far of a batch that is not whole yet. */
  #batch: EventRow[] = [];
  /** The last row that was taken. */
  #previous: EventRow | undefined;
  /** The first number that was not given yet: where to begin again. */
  resumeAt: number;
  /** A batch that the upper end cuts has been met. */
  ended = false;
  gaveEvents = false;
  restarted = false;

  constructor(context: JournalContext, persistenceId: string, range: ReplayRange, options: CallOptions) {
    this.#context = context;
    this.#persistenceId = persistenceId;
    this.#range = range;
    this.#options = options;
    this.#isLive = liveness(context, persistenceId, options);
    this.#expected = range.from;
    this.resumeAt = range.from;
  }

  /** Goes back to the first number that was not given. */
  restart(): void {
    this.restarted = true;
    this.#batch = [];
    this.#expected = this.resumeAt;
    this.#isLive = liveness(this.#context, this.#persistenceId, this.#options);
  }

  /** Takes the next rows; gives what is whole with them. */
  async takePage(page: readonly JournalRow[]): Promise<GivenPage> {
    const given: GivenRows[] = [];
    let run: { readonly rows: EventRow[]; readonly whole?: number | undefined } | undefined;
    try {
      for (const row of page) {
        if (this.#continuesBatch(row)) continue;
        if (this.#isPlain(row)) {
          const whole = row.staged ? 0 : undefined;
          if (run === undefined || run.whole !== whole) {
            run = { rows: [], whole };
            given.push(run);
          }
          run.rows.push(row);
          this.#gave(row);
          continue;
        }
        run = undefined;
        await this.#take(row, given);
        if (this.ended) break;
      }
      return { given };
    } catch (error) {
      if (error instanceof Gap) return { given, gap: error };
      throw error;
    }
  }

  /** Whether a row counts as it is, as nearly all rows of nearly all journals do: there is nothing to look up. */
  #isPlain(row: JournalRow): row is EventRow {
    if (row.kind !== "event" || row.sequenceNr !== this.#expected || this.#batch.length > 0) return false;
    if (row.batch === undefined) return !row.staged;
    // One more of a staged batch whose commit record was found.
    return row.staged && this.#previous !== undefined && isSameWrite(row, this.#previous);
  }

  /** Takes a row that goes on with a batch and does not end it. */
  #continuesBatch(row: JournalRow): boolean {
    const [first] = this.#batch;
    if (first === undefined || row.kind !== "event" || row.sequenceNr !== this.#expected) return false;
    if (!isSameWrite(row, first) || row.sequenceNr === lastOfBatch(row)) return false;
    this.#batch.push(row);
    this.#expected = row.sequenceNr + 1;
    return true;
  }

  /** Adds to what is given as it goes: a gap further on takes nothing back. */
  async #take(row: JournalRow, given: GivenRows[]): Promise<void> {
    if (row.sequenceNr < this.#expected) return;
    given.push(...(await this.#endBatchBefore(row)));
    if (row.sequenceNr < this.#expected) return;
    if (row.sequenceNr > this.#expected) await this.#skipHole(row);
    const event = await this.#eventOf(row);
    this.#expected = event.sequenceNr + 1;
    if (event.batch === undefined) given.push(...this.#give([event]));
    else if (lastOfBatch(event) > this.#range.to) this.ended = true;
    else given.push(...(await this.#grow(event)));
  }

  /** There are no more rows. */
  async finish(): Promise<GivenPage> {
    const given: GivenRows[] = [];
    try {
      given.push(...(await this.#endBatchBefore(undefined)));
      // The original counts numbers for which it has a mark, and no row.
      const ends = this.#expected > this.#range.to || !isOurs(await this.#rowBefore());
      return ends ? { given } : { given, gap: new Gap(this.#expected, "no row") };
    } catch (error) {
      if (error instanceof Gap) return { given, gap: error };
      throw error;
    }
  }

  /** A batch that ends before its last row: the original's count only if all of it is there when looked at again. */
  async #endBatchBefore(next: JournalRow | undefined): Promise<GivenRows[]> {
    const [first] = this.#batch;
    if (first === undefined) return [];
    if (next?.sequenceNr === this.#expected && next.kind === "event" && isSameWrite(next, first)) return [];
    if (isOurs(first)) throw new Gap(this.#expected, "only a part of a batch");
    return this.#readAgain(first);
  }

  async #grow(row: EventRow): Promise<GivenRows[]> {
    // Its commit record proves that all of a staged batch is there: no need to hold it until it is whole.
    if (row.staged) {
      const begins = this.#previous === undefined || !isSameWrite(row, this.#previous);
      return this.#give([row], begins ? lastOfBatch(row) - row.sequenceNr + 1 : 0);
    }
    this.#batch.push(row);
    if (row.sequenceNr < lastOfBatch(row)) return [];
    const [first] = this.#batch as [EventRow];
    // Begun in the middle of a batch: the rest counts only if what comes before it is there too.
    if (first.sequenceNr > this.#firstLive(first)) return this.#readAgain(first);
    return this.#give(this.#batch, this.#batch.length);
  }

  #give(rows: readonly EventRow[], whole?: number): GivenRows[] {
    this.#batch = [];
    this.#gave(rows[rows.length - 1] as EventRow);
    return [{ rows, whole }];
  }

  #gave(row: EventRow): void {
    this.#previous = row;
    this.#expected = row.sequenceNr + 1;
    this.resumeAt = this.#expected;
    this.gaveEvents = true;
  }

  #firstLive(row: EventRow): number {
    return Math.max(this.#range.low, firstOfBatch(row), 1);
  }

  /** Reads a whole batch again; gives what is asked for of it, or nothing if the original left it incomplete. */
  async #readAgain(row: EventRow): Promise<GivenRows[]> {
    this.#batch = [];
    const from = this.#firstLive(row);
    const to = lastOfBatch(row);
    const rows: EventRow[] = [];
    for await (const page of readRows(this.#context, this.#persistenceId, { from, to }, this.#options)) {
      for (const each of page) if (each.kind === "event" && isSameWrite(each, row)) rows.push(each);
    }
    if (rows.length === to - from + 1) {
      this.#expected = to + 1;
      const asked = rows.filter((each) => each.sequenceNr >= row.sequenceNr);
      return this.#give(asked, asked.length);
    }
    if (isOurs(row)) throw new Gap(row.sequenceNr, "only a part of a batch");
    this.#previous = row;
    return [];
  }

  /** The event of a row that counts. */
  async #eventOf(row: JournalRow): Promise<EventRow> {
    if (row.kind === "tombstone") throw new Gap(row.sequenceNr, "a tombstone");
    if (await this.#isLive(row)) return row;
    throw new Gap(row.sequenceNr, "a row that was never committed");
  }

  /** Numbers without a row: the original leaves such holes, we never do. */
  async #skipHole(next: JournalRow): Promise<void> {
    if (!isOurs(next)) return;
    const before = await this.#rowBefore();
    if (before === undefined || isOurs(before)) throw new Gap(this.#expected, "no row");
  }

  /** The row before the one that is due; looked up where the replay has only begun. */
  async #rowBefore(): Promise<JournalRow | undefined> {
    if (this.#previous !== undefined) return this.#previous;
    const to = this.#expected - 1;
    const from = Math.max(this.#range.low, 1, this.#expected - maxHole);
    let before: JournalRow | undefined;
    for await (const page of readRows(this.#context, this.#persistenceId, { from, to }, this.#options)) {
      before = page[page.length - 1] ?? before;
    }
    return before;
  }
}

function isOurs(row: JournalRow | undefined): boolean {
  return row?.writeId !== undefined;
}

function isSameWrite(one: EventRow, other: EventRow): boolean {
  if (one.writeId !== other.writeId || one.writerUuid !== other.writerUuid || !one.batch || !other.batch)
    return false;
  return firstOfBatch(one) === firstOfBatch(other) && lastOfBatch(one) === lastOfBatch(other);
}
