import type { Item } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import type { Layout } from "../layouts/layout.ts";
import type { EventRow, JournalRow } from "../rows/event-row.ts";
import type { RowKey } from "../rows/row-attributes.ts";
import { decodeRow, encodeRow, type RowFormat } from "../rows/row-format.ts";

/** Reads an item as a row. Returns undefined for a stub without a payload. */
export function readRow(
  { layout, messageNames }: JournalContext,
  persistenceId: string,
  item: Item,
): JournalRow | undefined {
  return decodeRow(item, new ItemKey(layout, persistenceId, item), messageNames);
}

/** The key of an item. Rows nearly always contain their sequence number, so the key's own is decoded only on demand. */
class ItemKey implements RowKey {
  readonly persistenceId: string;
  readonly #layout: Layout;
  readonly #item: Item;

  constructor(layout: Layout, persistenceId: string, item: Item) {
    this.persistenceId = persistenceId;
    this.#layout = layout;
    this.#item = item;
  }

  get sequenceNr(): number {
    return this.#layout.sequenceNrOf(this.persistenceId, this.#item);
  }
}

/** The item of a row, with its key. */
export function writeRow(
  { layout, format, messageNames }: JournalContext,
  row: EventRow,
  as: RowFormat = format,
): Item {
  const item = encodeRow(row, as, messageNames);
  return Object.assign(item, layout.eventKey(row.persistenceId, row.sequenceNr));
}
