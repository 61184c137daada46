import type { CallOptions } from "@tablekeep/core";
import type { ReplayOptions } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import type { PackedKeys, SpanQuery } from "../layouts/layout.ts";
import { type Head, packedMarks, readHead } from "../protocol/head.ts";
import { itemRows, rowsWithin } from "../protocol/item-rows.ts";
import { liveness } from "../protocol/liveness.ts";
import { firstPage } from "../protocol/packed-pages.ts";
import { lastLiveOf } from "../protocol/position.ts";
import type { EarlyRows } from "../protocol/read-rows.ts";
import type { ReplayRange } from "./replay-rows.ts";

const most = Number.MAX_SAFE_INTEGER;

/**
 * Where a replay begins and ends in the packed layout. One forward query reads the events and, behind them, the writer item: if
 * it is one page, nothing else is read. Otherwise the end is read from the other side.
 */
export async function packedStart(
  context: JournalContext,
  persistenceId: string,
  { from = 1, to = most }: ReplayOptions,
  call: CallOptions,
): Promise<ReplayRange> {
  const begin = Math.max(1, from);
  if (to >= most) return wholeStart(context, persistenceId, begin, call);
  const [head, early] = await Promise.all([
    readHead(context, persistenceId, call),
    readFirst(context, persistenceId, { from: begin, to }, call),
  ]);
  const highest = Math.max(head.seen ?? 0, head.low - 1);
  return rangeOf(begin, Math.min(to, highest), head.low, early);
}

async function wholeStart(
  context: JournalContext,
  persistenceId: string,
  begin: number,
  call: CallOptions,
): Promise<ReplayRange> {
  const { head: seen, early } = await readWhole(context, persistenceId, begin, call);
  const head = seen ?? (await readHead(context, persistenceId, call));
  return rangeOf(begin, Math.max(head.seen ?? 0, head.low - 1), head.low, early);
}

/** What one forward query shows of an id. */
export interface WholeRead {
  /** Its head; undefined if the query is not all there is from its first number on. */
  readonly head: Head | undefined;
  readonly early: EarlyRows;
}

/** Reads an id from a number on: the events and, behind them, the writer item. One request if it is one page. */
export async function readWhole(
  context: JournalContext,
  persistenceId: string,
  begin: number,
  call: CallOptions,
): Promise<WholeRead> {
  const { roleOf, wholeQuery } = context.layout.packed as PackedKeys;
  const query = wholeQuery(persistenceId, begin);
  const page = await firstPage(context, persistenceId, begin, query, call);
  const items = page.Items.filter((item) => roleOf(item) === "event");
  const rows = rowsWithin(
    items.flatMap((item) => itemRows(context, persistenceId, item)),
    begin,
    most,
  );
  const complete = page.LastEvaluatedKey === undefined;
  const early = { span: { from: begin, to: most }, rows, complete };
  if (!complete) return { head: undefined, early };
  const seen = await lastLiveOf(rows.toReversed(), liveness(context, persistenceId, call));
  // Without events from there on the end is below.
  if (seen === 0 && begin > 1) return { head: undefined, early };
  const writer = page.Items.find((item) => roleOf(item) === "writer");
  return { head: { ...packedMarks(context, writer), seen }, early };
}

/** The first page of a span. Undefined if it cannot be read: the failure is met again, and reported, when its rows are due. */
async function readFirst(
  context: JournalContext,
  persistenceId: string,
  span: { readonly from: number; readonly to: number },
  call: CallOptions,
): Promise<EarlyRows | undefined> {
  const { roleOf } = context.layout.packed as PackedKeys;
  const query = context.layout.spanQuery(persistenceId, span) as SpanQuery;
  try {
    const { Items, LastEvaluatedKey } = await firstPage(context, persistenceId, span.from, query, call);
    const items = Items.filter((item) => roleOf(item) === "event");
    const rows = items.flatMap((item) => itemRows(context, persistenceId, item));
    return { span, rows: rowsWithin(rows, span.from, span.to), complete: LastEvaluatedKey === undefined };
  } catch {
    return undefined;
  }
}

function rangeOf(from: number, to: number, low: number, early: EarlyRows | undefined): ReplayRange {
  return { from: Math.max(from, low, 1), to, low, early: early === undefined ? [] : [early] };
}
