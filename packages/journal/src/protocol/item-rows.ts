import type { Item } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import { numberOf } from "../layouts/layout.ts";
import type { EventRow, JournalRow } from "../rows/event-row.ts";
import { decodePackedItem, type PackedSpan, packedSpan } from "../rows/packed-item.ts";
import { decodeTombstone } from "../rows/tombstone.ts";
import { readRow } from "./row-item.ts";

/** The rows that an item at the key of an event holds, in order: one, none if it is a stub, or several in the packed layout. */
export function itemRows(context: JournalContext, persistenceId: string, item: Item): readonly JournalRow[] {
  if (context.layout.packed === undefined) {
    const row = readRow(context, persistenceId, item);
    return row === undefined ? [] : [row];
  }
  const key = { persistenceId, sequenceNr: context.layout.sequenceNrOf(persistenceId, item) };
  const tombstone = decodeTombstone(item, key);
  return tombstone === undefined ? decodePackedItem(item, key) : [tombstone];
}

/** The last of them: it shows how far an id goes. */
export function lastRowOf(
  context: JournalContext,
  persistenceId: string,
  item: Item,
): JournalRow | undefined {
  const rows = itemRows(context, persistenceId, item);
  return rows[rows.length - 1];
}

/** The numbers that an item is about, by its attributes. `write…` are those of the writes that it has a part of. */
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

/** The first number of the staged batch that an item is the last one of; undefined for all other items. */
export function firstOfBatchEndingAt(
  context: JournalContext,
  persistenceId: string,
  item: Item,
): number | undefined {
  if (item["staged"]?.BOOL !== true) return undefined;
  // One event alone is never staged, and rows of one have no place.
  if (context.layout.packed === undefined && numberOf(item, "idx") === undefined) return undefined;
  const { last, writeFirst, writeLast } = itemSpan(context, persistenceId, item);
  return last === writeLast ? writeFirst : undefined;
}

/** The rows of a range, of rows that may begin before it and end after it. */
export function rowsWithin(rows: readonly JournalRow[], from: number, to: number): readonly JournalRow[] {
  return rows.filter(({ sequenceNr }) => sequenceNr >= from && sequenceNr <= to);
}

/** Whether a row is an event. */
export function isEvent(row: JournalRow): row is EventRow {
  return row.kind === "event";
}
