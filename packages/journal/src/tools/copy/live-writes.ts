import type { CallOptions } from "@tablekeep/core";
import type { ReplayFilterMode } from "../../context/journal.ts";
import type { JournalContext } from "../../context/journal-context.ts";
import type { RowSpan } from "../../layouts/layout.ts";
import { liveness } from "../../protocol/liveness.ts";
import { readPosition } from "../../protocol/position.ts";
import { readRows } from "../../protocol/read-rows.ts";
import { oldWriter } from "../../protocol/write-errors.ts";
import { replayFilter } from "../../replay/replay-limit.ts";
import { type ReplayRange, replayWrites } from "../../replay/replay-rows.ts";
import {
  type EventRow,
  firstOfBatch,
  isSameWrite,
  type JournalRow,
  lastOfBatch,
} from "../../rows/event-row.ts";
import type { Tool } from "../open-tool.ts";
import type { ToolId } from "../tool-ids.ts";
import { rowsHidden } from "./copy-errors.ts";

interface LiveWritesOptions extends CallOptions {
  readonly filter: ReplayFilterMode;
  /** Receives the events that the filter drops. */
  readonly onDropped?: (row: EventRow) => void;
}

/**
 * The events of an id as rows, each atomic write whole: what a replay returns, and softly deleted ones too. Events that
 * the replay filter drops are left out.
 */
export async function* liveWrites(
  context: JournalContext,
  persistenceId: string,
  range: ReplayRange,
  { filter, onDropped = () => {}, ...call }: LiveWritesOptions,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  if (range.from > range.to) return;
  const isKept = replayFilter(filter, (row) => {
    if (filter === "fail") throw oldWriter(row);
  });
  const passes = (row: EventRow) => {
    const kept = isKept(row);
    if (!kept) onDropped(row);
    return kept;
  };
  let rows: EventRow[] = [];
  let due = 0;
  for await (const page of replayWrites(context, persistenceId, range, call)) {
    for (const part of page) {
      if (part.whole === undefined) {
        for (const row of part.rows) if (passes(row)) yield [row];
        continue;
      }
      if (part.whole > 0) due = part.whole;
      rows.push(...part.rows);
      if (rows.length < due) continue;
      const kept = rows.filter(passes);
      rows = [];
      if (kept.length > 0) yield kept;
    }
  }
}

/** How far above the highest sequence number rows are searched for if no scan has found the last one. */
const searchedAbove = 300;

/**
 * The writes of an id that a copy takes, as {@link liveWrites} returns them. Rows that the replay leaves out are read a
 * second time, apart from it: each must have a known reason to be left out. Otherwise this throws
 * `JOURNAL_ROWS_HIDDEN` before anything behind such a row is copied.
 */
export async function* auditedWrites(
  tool: Tool,
  { persistenceId, seen }: ToolId,
  range: ReplayRange,
): AsyncGenerator<readonly EventRow[], void, undefined> {
  const { context, settings, call } = tool;
  const audit = new HiddenRowAudit(tool, persistenceId, range.low);
  let due = range.from;
  const writes = liveWrites(context, persistenceId, range, {
    ...call,
    filter: settings.replayFilter,
    onDropped: (row) => audit.superseded(row.sequenceNr),
  });
  for await (const write of writes) {
    const first = write[0]?.sequenceNr ?? due;
    await audit.check({ from: due, to: first - 1 });
    yield write;
    due = first + write.length;
  }
  await audit.check({ from: due, to: range.to });
  await audit.checkAbove(range.to, seen?.to ?? range.to + searchedAbove);
}

/** Checks sequence numbers whose rows were not replayed. */
class HiddenRowAudit {
  readonly #tool: Tool;
  readonly #persistenceId: string;
  readonly #low: number;
  /** Runs of numbers that the replay filter has dropped and that were not read yet. */
  #superseded: { from: number; to: number }[] = [];
  #lastBatch: { readonly row: EventRow; readonly isWhole: boolean } | undefined;

  constructor(tool: Tool, persistenceId: string, low: number) {
    this.#tool = tool;
    this.#persistenceId = persistenceId;
    this.#low = low;
  }

  superseded(sequenceNr: number): void {
    const last = this.#superseded[this.#superseded.length - 1];
    if (last?.to === sequenceNr - 1) last.to = sequenceNr;
    else this.#superseded.push({ from: sequenceNr, to: sequenceNr });
  }

  /** Throws if one of these sequence numbers has a row without a known reason. */
  async check(span: RowSpan): Promise<void> {
    if (span.from > span.to) return;
    for await (const row of this.#unexplained(span)) throw this.#refusal(row.sequenceNr, row.sequenceNr);
    this.#superseded = [];
  }

  /** Throws if there are events above the highest sequence number. Those that were appended meanwhile are left to the next run. */
  async checkAbove(highest: number, end: number): Promise<void> {
    if (end <= highest) return;
    let first = 0;
    let last = 0;
    for await (const { sequenceNr } of this.#unexplained({ from: highest + 1, to: end })) {
      first ||= sequenceNr;
      last = sequenceNr;
    }
    if (last === 0) return;
    const { context, call } = this.#tool;
    const { highest: now } = await readPosition(context, this.#persistenceId, call);
    if (last > now) throw this.#refusal(Math.max(first, now + 1), last);
  }

  async *#unexplained(span: RowSpan): AsyncGenerator<JournalRow, void, undefined> {
    const { context, call } = this.#tool;
    const isLive = liveness(context, this.#persistenceId, call);
    for await (const page of readRows(context, this.#persistenceId, span, call)) {
      for (const row of page) {
        if (!(await isLive(row)) || this.#isSuperseded(row)) continue;
        if (!(await this.#isHalfBatch(row))) yield row;
      }
    }
  }

  #isSuperseded({ sequenceNr }: JournalRow): boolean {
    return this.#superseded.some(({ from, to }) => from <= sequenceNr && sequenceNr <= to);
  }

  /** Returns whether a row belongs to an incomplete batch of the original. */
  async #isHalfBatch(row: JournalRow): Promise<boolean> {
    if (row.kind !== "event" || row.writeId !== undefined || row.batch === undefined) return false;
    if (this.#lastBatch === undefined || !isSameWrite(row, this.#lastBatch.row))
      this.#lastBatch = { row, isWhole: await this.#isWhole(row) };
    return !this.#lastBatch.isWhole;
  }

  async #isWhole(row: EventRow): Promise<boolean> {
    const { context, call } = this.#tool;
    const span = { from: Math.max(this.#low, firstOfBatch(row), 1), to: lastOfBatch(row) };
    let due = span.from;
    for await (const page of readRows(context, this.#persistenceId, span, call)) {
      if (page.length === 0) continue;
      for (const each of page) {
        if (each.sequenceNr !== due || each.kind !== "event" || !isSameWrite(each, row)) return false;
        due++;
      }
    }
    return due > span.to;
  }

  #refusal(from: number, to: number): Error {
    return rowsHidden(this.#persistenceId, from, to);
  }
}
