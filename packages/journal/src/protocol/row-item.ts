import type { Item } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import type { Layout } from "../layouts/layout.ts";
import type { EventRow, JournalRow } from "../rows/event-row.ts";
import type { MessageNames } from "../rows/message-format.ts";
import { type RowKey, rowCorrupt } from "../rows/row-attributes.ts";
import { decodeRow, encodeRow, type RowFormat } from "../rows/row-format.ts";

/**
 * Reads an item as a row of the event at its key. Returns undefined for a stub without a payload. A row that was copied from another id counts
 * for the id of its key; one that says that it is another event is corrupt: to believe it would hide that event.
 */
export function readRow(context: JournalContext, persistenceId: string, item: Item): JournalRow | undefined {
  const row = readStoredRow(context, persistenceId, item);
  if (row?.kind !== "event") return row;
  const sequenceNr = context.layout.sequenceNrOf(persistenceId, item);
  if (row.sequenceNr !== sequenceNr) throw ofOtherEvent(context, { persistenceId, sequenceNr }, item, row);
  return row.persistenceId === persistenceId ? row : { ...row, persistenceId };
}

/** The same, with the id and the sequence number that the row contains. */
export function readStoredRow(
  { layout, messageNames }: JournalContext,
  persistenceId: string,
  item: Item,
): JournalRow | undefined {
  const key = new ItemKey(layout, persistenceId, item);
  const row = decodeRow(item, key, messageNames);
  if (row === undefined && !isStub(layout, messageNames, item))
    throw rowCorrupt(key, layout.name === "bucketed" ? "event" : messageNames.payload, "is missing");
  return row;
}

/**
 * What a soft deletion or a confirmation by the plugin 0.x leaves of an event that does not exist. The later plugins have neither. An event that is not deleted
 * has lost its payload.
 */
function isStub({ name }: Layout, { deleted, confirmations }: MessageNames, item: Item): boolean {
  if (name === "bucketed") return false;
  const { S: text, BOOL: flag } = item[deleted] ?? {};
  return (
    text === "true" || flag === true || (item[deleted] === undefined && item[confirmations] !== undefined)
  );
}

function ofOtherEvent({ messageNames }: JournalContext, key: RowKey, item: Item, row: EventRow): Error {
  const ofMessage = item["pay"]?.B === undefined ? messageNames.payload : "pay";
  const attribute = item["event"]?.B === undefined ? ofMessage : "seq";
  return rowCorrupt(key, attribute, `is that of event ${row.sequenceNr}`);
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
