import type { Item } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import type { JournalRow } from "./event-row.ts";
import { decodeRow } from "./row-format.ts";

/** An item of a table as a row, or undefined for one that is none (a stub without a payload). */
export function readRow(
  { layout, messageNames }: JournalContext,
  persistenceId: string,
  item: Item,
): JournalRow | undefined {
  return decodeRow(
    item,
    { persistenceId, sequenceNr: layout.sequenceNrOf(persistenceId, item) },
    messageNames,
  );
}
