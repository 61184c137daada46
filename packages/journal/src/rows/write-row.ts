import type { Item } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import type { EventRow } from "./event-row.ts";
import { encodeRow, type RowFormat } from "./row-format.ts";

/** The item of a row, with its key. */
export function writeRow(
  { layout, format, messageNames }: JournalContext,
  row: EventRow,
  as: RowFormat = format,
): Item {
  const item = encodeRow(row, as, messageNames);
  return Object.assign(item, layout.eventKey(row.persistenceId, row.sequenceNr));
}
