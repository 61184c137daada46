/** The errors of copying, in words. */
import { JournalError } from "../../journal-error.ts";

export function copyRefused(persistenceId: string, sequenceNr: number, reason: string): JournalError {
  return new JournalError(
    "JOURNAL_COPY_REFUSED",
    `${persistenceId}: ${reason} (nothing was overwritten; copy into an empty journal, or purge the id there first)`,
    { persistenceId, sequenceNr, reason },
  );
}

export function copyDiffers(persistenceId: string, expected: number, found: number): JournalError {
  return new JournalError(
    "JOURNAL_COPY_DIFFERS",
    `${persistenceId}: ${expected} events were copied, and the ${found} that are read back are not the same: is another writing there?`,
    { persistenceId, expected, found },
  );
}

export function rowsHidden(persistenceId: string, from: number, to: number): JournalError {
  const numbers = from === to ? `number ${from}` : `numbers ${from} to ${to}`;
  return new JournalError(
    "JOURNAL_ROWS_HIDDEN",
    `${persistenceId}: events stand at ${numbers} that a replay does not give, so nothing was copied past them (run "tablekeep journal verify", then "repair", and copy again)`,
    { persistenceId, from, to },
  );
}

export function exportInvalid(line: number, reason: string): JournalError {
  return new JournalError("JOURNAL_EXPORT_INVALID", `line ${line} of the export ${reason}`, { line, reason });
}
