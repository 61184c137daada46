import type { CallOptions } from "@tablekeep/core";
import type { ReplayOptions } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import type { PackedKeys } from "../layouts/layout.ts";
import { type Head, packedMarks, readHead } from "../protocol/head.ts";
import { itemRows, rowsWithin } from "../protocol/item-rows.ts";
import { liveness } from "../protocol/liveness.ts";
import { firstPage } from "../protocol/packed-pages.ts";
import { lastLiveOf } from "../protocol/position.ts";
import type { EarlyRows } from "../protocol/read-rows.ts";
import type { ReplayRange } from "./replay-rows.ts";

const most = Number.MAX_SAFE_INTEGER;

/**
 * Where a replay begins and ends in the packed layout. From the first event on, one forward query reads the events and, behind
 * them, the writer item: if it is one page, nothing else is read. A replay that begins later, such as each poll of a live query, reads the end
 * first: mostly there is nothing new.
 */
export async function packedStart(
  context: JournalContext,
  persistenceId: string,
  { from = 1, to = most }: ReplayOptions,
  call: CallOptions,
): Promise<ReplayRange> {
  const begin = Math.max(1, from);
  const read = begin === 1 && to >= most ? await readWhole(context, persistenceId, begin, call) : undefined;
  const { low, seen = 0 } = read?.head ?? (await readHead(context, persistenceId, call));
  const highest = Math.max(seen, low - 1);
  const early = read === undefined ? [] : [read.early];
  return { from: Math.max(begin, low), to: Math.min(to, highest), low, early };
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
