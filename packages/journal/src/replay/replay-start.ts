import type { CallOptions } from "@tablekeep/core";
import type { ReplayOptions } from "../context/journal.ts";
import { isShared, type JournalContext } from "../context/journal-context.ts";
import { liveness } from "../protocol/liveness.ts";
import { type Marks, readMarks } from "../protocol/marks.ts";
import { lastLiveOf, positionFrom, settledPosition } from "../protocol/position.ts";
import { type EarlyRows, readEarly } from "../protocol/read-rows.ts";
import { packedStart } from "./packed-start.ts";
import type { ReplayRange } from "./replay-rows.ts";

/**
 * Finds where a replay begins and ends. The first page is requested together with the marks, and the last bucket is
 * read to find the end: one or two round trips instead of three. The replay needs both anyway.
 */
export async function replayStart(
  context: JournalContext,
  persistenceId: string,
  { from = 1, to = Number.MAX_SAFE_INTEGER, max }: ReplayOptions,
  call: CallOptions,
): Promise<ReplayRange> {
  const { layout } = context;
  const isByKey = layout.spanQuery(persistenceId, { from: 1, to: 1 }) === undefined;
  // Where deletes remove rows, the rows that were read with the marks do not show whether others were removed since.
  if (from === -1 || from > to || isByKey || isShared(context)) {
    const { highest, low } = await settledPosition(context, persistenceId, call);
    return rangeOf(from === -1 ? highest : from, Math.min(to, highest), low, []);
  }
  await context.writesUnderWay.ended(persistenceId, call);
  if (layout.packed !== undefined) return packedStart(context, persistenceId, { from, to }, call);
  const begin = Math.max(1, from);
  const reading = readMarks(context, persistenceId, call);
  const span = { from: begin, to: Math.min(to, layout.endOfSpan(begin)) };
  const [marks, head] = await Promise.all([reading, readEarly(context, persistenceId, span, call)]);
  const early = head === undefined ? [] : [head];
  if (to <= Math.max(marks.high, marks.low - 1) || holds(head, to))
    return rangeOf(begin, to, marks.low, early);
  if (head !== undefined && max === undefined && span.to < marks.high && marks.low <= marks.high) {
    const last = { from: marks.high, to: Math.min(to, layout.endOfSpan(marks.high)) };
    const tail = await readEarly(context, persistenceId, last, call);
    if (tail !== undefined) early.push(tail);
  }
  const seen = await lastSeen(context, persistenceId, marks, early, call);
  const { highest } = await positionFrom(context, persistenceId, marks, call, seen);
  return rangeOf(begin, Math.min(to, highest), marks.low, early);
}

function rangeOf(from: number, to: number, low: number, early: readonly EarlyRows[]): ReplayRange {
  return { from: Math.max(from, low, 1), to, low, early };
}

/** Returns whether the event of a sequence number was read: then the end is there or later. */
function holds(head: EarlyRows | undefined, sequenceNr: number): boolean {
  const last = head?.rows[head.rows.length - 1];
  return last?.sequenceNr === sequenceNr && last.kind === "event" && !last.staged;
}

/**
 * Returns the last live sequence number of the span that the high mark names, if the rows that were read include the
 * end of the span.
 */
async function lastSeen(
  context: JournalContext,
  persistenceId: string,
  { high }: Marks,
  early: readonly EarlyRows[],
  call: CallOptions,
): Promise<number | undefined> {
  const end = context.layout.endOfSpan(high);
  const found = early.find(({ span, complete }) => complete && span.to === end);
  if (found === undefined) return undefined;
  const last = await lastLiveOf(found.rows.toReversed(), liveness(context, persistenceId, call));
  if (last > 0 || found.span.from <= high) return last;
  // There is nothing from here on. Earlier rows are requested only if they may belong to a later write.
  return context.highDistrust ? undefined : found.span.from - 1;
}
