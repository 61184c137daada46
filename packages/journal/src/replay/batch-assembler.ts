import { type EventRow, firstOfBatch, isSameWrite, type JournalRow, lastOfBatch } from "../rows/event-row.ts";

/** Rows that count, in order. */
export interface GivenRows {
  readonly rows: readonly EventRow[];
  /**
   * Undefined for events that were written one by one. For an atomic write, which may be returned in several parts: its
   * number of events, or 0 if this is not the first part.
   */
  readonly whole?: number;
}

/** A sequence number that should hold an event and does not: not visible yet, deleted meanwhile, or damage. */
export class Gap {
  readonly sequenceNr: number;
  readonly found: string;

  constructor(sequenceNr: number, found: string) {
    this.sequenceNr = sequenceNr;
    this.found = found;
  }
}

/**
 * A question that the rows so far do not answer. The caller passes the answer to the assembler and repeats the call
 * that returned the question.
 */
export type Question =
  /** What is the first live row above this sequence number? */
  | { readonly ask: "row-after"; readonly sequenceNr: number }
  /** Does every sequence number of this range have a row of the same write as `row`? */
  | { readonly ask: "batch-start"; readonly row: EventRow; readonly from: number; readonly to: number };

/** The numbers to assemble. */
export interface AssemblerRange {
  readonly from: number;
  readonly to: number;
  /** The low mark: everything below it is deleted. */
  readonly low: number;
}

/** An atomic write of which some rows have been read. */
interface OpenBatch {
  readonly first: EventRow;
  readonly rows: EventRow[];
}

/**
 * Turns the rows of an id, in order, into events: single events as they come, atomic writes whole or not at all. It does no
 * I/O: what it cannot derive from the rows it returns as a {@link Question}.
 *
 * Rows with a write id are ours. We write without holes, so a missing row is a {@link Gap}, unless the next row says that the
 * original had left a high mark without a row there. Rows without one were written
 * by the original, which leaves holes, and parts of atomic writes whose numbers it uses again. A batch of the original is
 * read up to its declared end or to the first row that contradicts it; rows of a batch that is not whole are dropped.
 */
export class BatchAssembler {
  readonly #range: AssemblerRange;
  #given: GivenRows[] = [];
  /** The open end of `#given`: single events, or further parts of a staged batch. */
  #run: { readonly rows: EventRow[]; readonly whole: 0 | undefined } | undefined;
  /** Where this pass began. */
  #start: number;
  /** The next expected sequence number. */
  #expected: number;
  #open: OpenBatch | undefined;
  /** The row after the range, or the kind of end that the id has. Null until it is read. */
  #after: JournalRow | "hole" | "end" | null = null;
  #batchStart: boolean | undefined;
  #lastGiven: EventRow | undefined;
  #lastUncommitted = 0;
  /** The lowest sequence number that was skipped since the last reset: a hole, or the start of an incomplete batch. */
  skippedFrom: number | undefined;
  /** The first sequence number that has not been returned yet: where to begin again. */
  resumeAt: number;
  /** Set at a batch that reaches beyond the range: nothing more is returned. */
  ended = false;

  constructor(range: AssemblerRange) {
    this.#range = range;
    this.#start = range.from;
    this.#expected = range.from;
    this.resumeAt = range.from;
  }

  get gaveEvents(): boolean {
    return this.#lastGiven !== undefined;
  }

  /** Goes back to the first sequence number that has not been returned. */
  restart(): void {
    this.#open = undefined;
    this.#start = this.resumeAt;
    this.#expected = this.resumeAt;
    this.#after = null;
    this.#batchStart = undefined;
    this.#lastUncommitted = 0;
    this.skippedFrom = undefined;
  }

  /** Returns the events that became complete since the last call. */
  takeGiven(): readonly GivenRows[] {
    const given = this.#given;
    this.#given = [];
    this.#run = undefined;
    return given;
  }

  /** `hole`: there is none, and the id ends with a high mark of the original that has no row. */
  answerRowAfter(row: JournalRow | "hole" | "end"): void {
    this.#after = row;
  }

  answerBatchStart(isThere: boolean): void {
    this.#batchStart = isThere;
  }

  /** Returns whether a staged row belongs to the write that was returned last, and is therefore committed. */
  continuesGiven(row: EventRow): boolean {
    return this.#lastGiven?.staged === true && isSameWrite(row, this.#lastGiven);
  }

  /** Processes the next row. `isLive` is false for an uncommitted staged row, which is ignored. */
  take(row: JournalRow, isLive: boolean): Gap | Question | undefined {
    if (row.sequenceNr === this.#expected && this.#open === undefined && row.kind === "event") {
      if (row.batch === undefined && !row.staged) return this.#giveNext(row, undefined);
      if (row.staged && this.continuesGiven(row)) return this.#giveNext(row, 0);
    }
    if (row.sequenceNr < this.#expected) return undefined;
    if (!isLive) {
      this.#lastUncommitted = row.sequenceNr;
      return undefined;
    }
    if (this.#isWithinGiven()) return this.#brokenAt(this.#expected);
    if (this.#open !== undefined) {
      if (continues(row, this.#open, this.#expected)) return this.#grow(row, this.#open);
      const gap = this.#closeOpen();
      if (gap !== undefined) return gap;
    }
    if (row.kind === "tombstone") return new Gap(row.sequenceNr, "a tombstone");
    if (row.sequenceNr > this.#expected) {
      const stop = this.#passHole(row);
      if (stop !== undefined) return stop;
    }
    return row.batch === undefined ? this.#giveNext(row, undefined) : this.#begin(row);
  }

  /** Ends the range: it has no more rows. */
  finish(): Gap | Question | undefined {
    const gap = this.#closeOpen();
    if (gap !== undefined) return gap;
    if (this.#isWithinGiven()) return this.#brokenAt(this.#expected);
    const { to } = this.#range;
    if (this.#expected > to) return undefined;
    // The hole may reach beyond the range: the row after it shows whose it is.
    if (this.#after === null) return { ask: "row-after", sequenceNr: to };
    return this.#isExplained(this.#after) ? undefined : this.#nothingAt(this.#expected);
  }

  /** Returns whether the next row must be one of the staged write that was returned last. */
  #isWithinGiven(): boolean {
    const last = this.#lastGiven;
    return last?.staged === true && this.#expected <= lastOfBatch(last);
  }

  #brokenAt(sequenceNr: number): Gap {
    return new Gap(sequenceNr, "only a part of an atomic write");
  }

  /** Returns whether the hole at the end of the range is the original's. */
  #isExplained(after: JournalRow | "hole" | "end"): boolean {
    if (after === "hole") return this.#lastUncommitted < this.#expected;
    if (after === "end") return false;
    return !isOurs(after) || this.#firstLive(after) <= this.#expected || isAboveHole(after);
  }

  /**
   * Skips sequence numbers without a row. The original leaves holes. We do not, but we may begin above a high mark that
   * it left.
   */
  #passHole(next: EventRow): Gap | Question | undefined {
    if (isOurs(next)) {
      const first = this.#firstLive(next);
      if (first < next.sequenceNr) return this.#brokenAt(Math.max(first, this.#expected));
      if (!isAboveHole(next)) return this.#nothingAt(this.#expected);
    }
    this.#skip(this.#expected);
    this.#expected = next.sequenceNr;
    return undefined;
  }

  /** Begins an atomic write with its first row. */
  #begin(row: EventRow): Gap | Question | undefined {
    const first = this.#firstLive(row);
    const endsBeyond = lastOfBatch(row) > this.#range.to;
    if (endsBeyond && isOurs(row)) {
      this.ended = true;
      return undefined;
    }
    if (row.staged) {
      // What came before it in this pass was not of its write.
      const begin = Math.max(first, this.#start);
      if (row.sequenceNr > begin) return this.#brokenAt(begin);
      // The commit record proves that all rows of a staged batch exist, so it need not be held until it is complete.
      this.#give([row], lastOfBatch(row) - row.sequenceNr + 1);
      return undefined;
    }
    if (row.sequenceNr > first && !endsBeyond) {
      // Rows below the start of this pass have not been read. Any other row before this one contradicts it.
      if (row.sequenceNr === this.#start && this.#batchStart === undefined)
        return { ask: "batch-start", row, from: first, to: row.sequenceNr - 1 };
      const isWhole = row.sequenceNr === this.#start && this.#batchStart === true;
      if (!isWhole) return isOurs(row) ? this.#brokenAt(first) : this.#drop(row);
    }
    const open = { first: row, rows: [] };
    this.#open = open;
    return this.#grow(row, open);
  }

  #grow(row: EventRow, { rows }: OpenBatch): undefined {
    const last = lastOfBatch(row);
    this.#expected = row.sequenceNr + 1;
    // A batch that reaches beyond the range is not returned even if it is complete, so it need not be held.
    if (last > this.#range.to) return;
    rows.push(row);
    if (row.sequenceNr < last) return;
    this.#open = undefined;
    this.#give(rows, rows.length);
  }

  /** Ends a batch before its last row. */
  #closeOpen(): Gap | undefined {
    if (this.#open === undefined) return undefined;
    const { first } = this.#open;
    if (isOurs(first)) return this.#brokenAt(this.#expected);
    this.#open = undefined;
    this.#skip(first.sequenceNr);
    return undefined;
  }

  #drop(row: EventRow): undefined {
    this.#skip(this.#firstLive(row));
    this.#expected = row.sequenceNr + 1;
  }

  #skip(sequenceNr: number): void {
    this.skippedFrom = Math.min(this.skippedFrom ?? sequenceNr, sequenceNr);
  }

  #giveNext(row: EventRow, whole: 0 | undefined): undefined {
    if (this.#run === undefined || this.#run.whole !== whole) {
      this.#run = { rows: [], whole };
      this.#given.push(this.#run);
    }
    this.#run.rows.push(row);
    this.#gave(row);
  }

  #give(rows: readonly EventRow[], whole: number): void {
    this.#run = undefined;
    this.#given.push({ rows, whole });
    this.#gave(rows[rows.length - 1] as EventRow);
  }

  #gave(row: EventRow): void {
    this.#lastGiven = row;
    this.#expected = row.sequenceNr + 1;
    this.resumeAt = this.#expected;
  }

  #nothingAt(sequenceNr: number): Gap {
    const isUncommitted = this.#lastUncommitted >= sequenceNr;
    return new Gap(sequenceNr, isUncommitted ? "a row that was never committed" : "no row");
  }

  /** The first number of a row's atomic write that is not deleted. */
  #firstLive(row: JournalRow): number {
    const first = row.kind === "event" ? firstOfBatch(row) : row.sequenceNr;
    return Math.max(this.#range.low, first, 1);
  }
}

function continues(row: JournalRow, { first }: OpenBatch, expected: number): row is EventRow {
  return row.kind === "event" && row.sequenceNr === expected && isSameWrite(row, first);
}

function isOurs(row: JournalRow | undefined): boolean {
  return row?.writeId !== undefined;
}

/** Returns whether a hole before one of our rows is the original's, as recorded in the row. */
function isAboveHole(row: JournalRow): boolean {
  return row.kind === "event" && row.aboveHole === true;
}
