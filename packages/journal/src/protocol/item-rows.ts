import type { Item } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { numberOf } from "../layouts/layout.ts";
import type { EventRow, JournalRow } from "../rows/event-row.ts";
import { checkTombstone, decodePackedItem, type PackedSpan, packedSpan } from "../rows/packed-item.ts";
import { decodeTombstone } from "../rows/tombstone.ts";
import { readRow, readStoredRow } from "./row-item.ts";

/** Returns the rows of an item at an event's key, in order: one, none for a stub, or several in the packed layout. */
export function itemRows(context: JournalContext, persistenceId: string, item: Item): readonly JournalRow[] {
  return rowsBy(readRow, context, persistenceId, item);
}

/** The same, with the ids and sequence numbers that the rows contain. */
export function storedRows(
  context: JournalContext,
  persistenceId: string,
  item: Item,
): readonly JournalRow[] {
  return rowsBy(readStoredRow, context, persistenceId, item);
}

function rowsBy(
  read: typeof readRow,
  context: JournalContext,
  persistenceId: string,
  item: Item,
): readonly JournalRow[] {
  if (context.layout.packed === undefined) {
    const row = read(context, persistenceId, item);
    return row === undefined ? [] : [row];
  }
  const key = { persistenceId, sequenceNr: context.layout.sequenceNrOf(persistenceId, item) };
  const tombstone = decodeTombstone(item, key);
  if (tombstone === undefined) return decodePackedItem(item, key);
  checkTombstone(item, key);
  return [tombstone];
}

/** Returns the last row of an item. */
export function lastRowOf(
  context: JournalContext,
  persistenceId: string,
  item: Item,
): JournalRow | undefined {
  const rows = itemRows(context, persistenceId, item);
  return rows[rows.length - 1];
}

/** Returns the sequence numbers of an item, and of the writes that it contains a part of, from its attributes. */
export function itemSpan({ layout }: JournalContext, persistenceId: string, item: Item): PackedSpan {
  const sequenceNr = layout.sequenceNrOf(persistenceId, item);
  if (layout.packed !== undefined) return packedSpan(item, sequenceNr);
  const writeFirst = sequenceNr - (numberOf(item, "idx") ?? 0);
  return {
    first: sequenceNr,
    last: sequenceNr,
    writeFirst,
    writeLast: writeFirst + (numberOf(item, "cnt") ?? 0),
  };
}

/** Returns the first sequence number of a staged batch if the item is its last one; undefined for all other items. */
export function firstOfBatchEndingAt(
  context: JournalContext,
  persistenceId: string,
  item: Item,
): number | undefined {
  if (item["staged"]?.BOOL !== true) return undefined;
  // A single event is never staged, and its row has no place.
  if (context.layout.packed === undefined && numberOf(item, "idx") === undefined) return undefined;
  const { last, writeFirst, writeLast } = itemSpan(context, persistenceId, item);
  return last === writeLast ? writeFirst : undefined;
}

/** Returns the rows within a range. */
export function rowsWithin(rows: readonly JournalRow[], from: number, to: number): readonly JournalRow[] {
  return rows.filter(({ sequenceNr }) => sequenceNr >= from && sequenceNr <= to);
}

/** Whether a row is an event. */
export function isEvent(row: JournalRow): row is EventRow {
  return row.kind === "event";
}
