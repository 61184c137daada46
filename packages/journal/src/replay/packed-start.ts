import type { CallOptions } from "@tablekeep/core";
import type { ReplayOptions } from "../context/journal.ts";
import type { JournalContext } from "../context/journal-context.ts";
import type { PackedKeys } from "../layouts/layout.ts";
import { type Head, packedMarks, readHead } from "../protocol/head.ts";
import { itemRows } from "../protocol/item-rows.ts";
import { liveness } from "../protocol/liveness.ts";
import { firstPage } from "../protocol/packed-pages.ts";
import { lastLiveOf } from "../protocol/position.ts";
import type { EarlyRows } from "../protocol/read-rows.ts";
import type { JournalRow } from "../rows/event-row.ts";
import type { ReplayRange } from "./replay-rows.ts";

const maxSequenceNr = Number.MAX_SAFE_INTEGER;

/**
 * Finds where a replay begins and ends in the packed layout. A replay from the first event on is one forward query of
 * the events and the writer item after them; if that is one page, nothing else is read. A replay that begins later,
 * such as each poll of a live query, reads the end first, because there is usually nothing new.
 */
export async function packedStart(
  context: JournalContext,
  persistenceId: string,
  { from = 1, to = maxSequenceNr }: ReplayOptions,
  call: CallOptions,
): Promise<ReplayRange> {
  const begin = Math.max(1, from);
  const read =
    begin === 1 && to >= maxSequenceNr ? await readWhole(context, persistenceId, begin, call) : undefined;
  const { low, seen = 0 } = read?.head ?? (await readHead(context, persistenceId, call));
  const highest = Math.max(seen, low - 1);
  const early = read === undefined ? [] : [read.early];
  return { from: Math.max(begin, low), to: Math.min(to, highest), low, early };
}

/** The result of one forward query of an id. */
export interface WholeRead {
  /** Its head; undefined if the query did not reach the end. */
  readonly head: Head | undefined;
  readonly early: EarlyRows;
}

/**
 * Reads the events of an id from a sequence number on, and the writer item after them. One request if it is one page.
 */
export async function readWhole(
  context: JournalContext,
  persistenceId: string,
  begin: number,
  call: CallOptions,
): Promise<WholeRead> {
  const { roleOf, wholeQuery } = context.layout.packed as PackedKeys;
  const query = wholeQuery(persistenceId, begin);
  const page = await firstPage(context, persistenceId, begin, query, call);
  const rows: JournalRow[] = [];
  for (const item of page.Items) {
    if (roleOf(item) !== "event") continue;
    for (const row of itemRows(context, persistenceId, item)) if (row.sequenceNr >= begin) rows.push(row);
  }
  const complete = page.LastEvaluatedKey === undefined;
  const early = { span: { from: begin, to: maxSequenceNr }, rows, complete };
  if (!complete) return { head: undefined, early };
  const seen = await lastLiveOf(rows.toReversed(), liveness(context, persistenceId, call));
  // If there are no events from there on, the end is below.
  if (seen === 0 && begin > 1) return { head: undefined, early };
  const writer = page.Items.find((item) => roleOf(item) === "writer");
  return { head: { ...packedMarks(context, writer), seen }, early };
}
