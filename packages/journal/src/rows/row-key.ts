import { JournalError } from "../journal-error.ts";

/** Whose row an item is, by its key. */
export interface RowKey {
  readonly persistenceId: string;
  readonly sequenceNr: number;
}

/** The error for an item that nobody writes so. `reason` reads on from the attribute's name: "is no number". */
export function rowCorrupt(
  { persistenceId, sequenceNr }: RowKey,
  attribute: string,
  reason: string,
  cause?: unknown,
): JournalError<"JOURNAL_ROW_CORRUPT"> {
  return new JournalError(
    "JOURNAL_ROW_CORRUPT",
    `event ${sequenceNr} of ${JSON.stringify(persistenceId)}: ${attribute} ${reason} (look at the item, restore it or delete it)`,
    { persistenceId, sequenceNr, attribute, reason },
    { cause },
  );
}
