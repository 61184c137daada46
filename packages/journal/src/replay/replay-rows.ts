import type { CallOptions } from "@tablekeep/core";
import { pauseBeforeRetry } from "../context/calls.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { type IsLive, liveness } from "../protocol/liveness.ts";
import { readMarks } from "../protocol/marks.ts";
import { readPosition } from "../protocol/position.ts";
import { type EarlyRows, readRows } from "../protocol/read-rows.ts";
import { damaged, trimmed } from "../protocol/write-errors.ts";
import { type EventRow, isSameWrite, type JournalRow } from "../rows/event-row.ts";
import {
  type AssemblerRange,
  BatchAssembler,
  Gap,
  type GivenRows,
  type Question,
} from "./batch-assembler.ts";

/**
 * The range of a replay. Its end is fixed before the first page is read, so that writes that commit meanwhile are not
 * returned.
 */
export interface ReplayRange extends AssemblerRange {
  /** Rows that were read to find the ends. */
  readonly early?: readonly EarlyRows[];
}

/**
 * How many times a missing row is read again. The items of a transaction do not become visible at once; with the pauses
 * in between, it has several seconds.
 */
const maxRereads = 9;

/** The live events of a range, in order, page by page; each atomic write whole or not at all. */
export async function* replayWrites(
  context: JournalContext,
  persistenceId: string,
  range: ReplayRange,
  options: CallOptions,
  rereadsAtMost: number = maxRereads,
): AsyncGenerator<readonly GivenRows[], void, undefined> {
  const pass = new ReplayPass(context, persistenceId, range, options);
  const { assembler } = pass;
  for (let rereads = 0, stuckAt = range.from; ; rereads++) {
    let gap: Gap | undefined;
    const rest = { from: assembler.resumeAt, to: range.to };
    // The rows that were read early may be incomplete.
    const early = rereads === 0 ? range.early : [];
    for await (const rows of readRows(context, persistenceId, rest, options, early)) {
      gap = await pass.takePage(rows);
      yield assembler.takeGiven();
      if (gap !== undefined || assembler.ended) break;
    }
    if (gap === undefined && !assembler.ended) {
      gap = await pass.finish();
      yield assembler.takeGiven();
    }
    if (gap === undefined) return;
    if (assembler.resumeAt > stuckAt) rereads = 0;
    stuckAt = assembler.resumeAt;
    await pass.checkDeleted(gap.sequenceNr);
    if (rereads >= rereadsAtMost) throw damaged(persistenceId, gap.sequenceNr, gap.found);
    await pauseBeforeRetry(context, rereads, options);
    pass.restart();
  }
}

/** Feeds an assembler with rows, and answers its questions by reads. */
class ReplayPass {
  readonly assembler: BatchAssembler;
  readonly #context: JournalContext;
  readonly #persistenceId: string;
  readonly #options: CallOptions;
  #isLive: IsLive;

  constructor(context: JournalContext, persistenceId: string, range: ReplayRange, options: CallOptions) {
    this.assembler = new BatchAssembler(range);
    this.#context = context;
    this.#persistenceId = persistenceId;
    this.#options = options;
    this.#isLive = liveness(context, persistenceId, options);
  }

  restart(): void {
    this.assembler.restart();
    this.#isLive = liveness(this.#context, this.#persistenceId, this.#options);
  }

  /** Processes rows up to the end of the page, a gap, or the end of the replay. */
  async takePage(page: readonly JournalRow[]): Promise<Gap | undefined> {
    for (const row of page) {
      const isKnown = row.kind !== "event" || !row.staged || this.assembler.continuesGiven(row);
      const isLive = isKnown || (await this.#isLive(row));
      let stop = this.assembler.take(row, isLive);
      while (stop !== undefined && !(stop instanceof Gap)) {
        await this.#answer(stop);
        stop = this.assembler.take(row, isLive);
      }
      if (stop !== undefined) return stop;
      if (this.assembler.ended) break;
    }
    await this.#checkSkipped();
    return undefined;
  }

  async finish(): Promise<Gap | undefined> {
    let stop = this.assembler.finish();
    while (stop !== undefined && !(stop instanceof Gap)) {
      await this.#answer(stop);
      stop = this.assembler.finish();
    }
    await this.#checkSkipped();
    return stop;
  }

  /** Throws if a sequence number was deleted since the replay began, which explains why it is missing. */
  async checkDeleted(sequenceNr: number): Promise<void> {
    const { low } = await readMarks(this.#context, this.#persistenceId, this.#options);
    if (low > sequenceNr) throw trimmed(this.#persistenceId, sequenceNr, low, this.assembler.gaveEvents);
  }

  /** What was skipped as a hole or as part of a batch may have been deleted. */
  async #checkSkipped(): Promise<void> {
    const { skippedFrom } = this.assembler;
    if (skippedFrom === undefined) return;
    this.assembler.skippedFrom = undefined;
    await this.checkDeleted(skippedFrom);
  }

  async #answer(question: Question): Promise<void> {
    switch (question.ask) {
      case "row-after":
        return this.assembler.answerRowAfter(await this.#rowAfter(question.sequenceNr));
      case "batch-start":
        return this.assembler.answerBatchStart(await this.#isThere(question.row, question));
    }
  }

  /** Returns the first live row above a sequence number, or the kind of end that the id has. */
  async #rowAfter(sequenceNr: number): Promise<JournalRow | "hole" | "end"> {
    const position = await readPosition(this.#context, this.#persistenceId, this.#options);
    for await (const row of this.#liveRows(sequenceNr + 1, position.highest)) return row;
    return position.endsInHole ? "hole" : "end";
  }

  /** Returns whether every sequence number of a range has a row of the same write as this one. */
  async #isThere(
    row: EventRow,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<boolean> {
    let due = from;
    for await (const page of readRows(this.#context, this.#persistenceId, { from, to }, this.#options)) {
      for (const each of page) {
        // Only in the packed layout: what a compaction or a dead staged write has left among the sequence numbers of an
        // item.
        if (each.sequenceNr < due) continue;
        if (each.sequenceNr !== due || each.kind !== "event" || !isSameWrite(each, row)) return false;
        due++;
      }
    }
    return due > to;
  }

  async *#liveRows(from: number, to: number): AsyncGenerator<JournalRow, void, undefined> {
    for await (const page of readRows(this.#context, this.#persistenceId, { from, to }, this.#options)) {
      for (const row of page) if (await this.#isLive(row)) yield row;
    }
  }
}
