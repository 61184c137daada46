import type { Item } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import type { EventRow } from "./event-row.ts";
import { encodeRow } from "./row-format.ts";

/** The attributes of a row's item, without its key. */
export function writeRow({ format, messageNames }: JournalContext, row: EventRow): Item {
  return encodeRow(row, format, messageNames);
}
