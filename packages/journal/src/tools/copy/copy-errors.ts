/** Constructors of the errors of copying. */
import type { AkkaLine } from "../../codecs/akka-line.ts";
import type { AkkaUse } from "../../context/journal-context.ts";
import { JournalError } from "../../errors/journal-error.ts";
import type { EventRow } from "../../rows/event-row.ts";

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
    `${persistenceId}: ${expected} events were copied, but the ${found} events read back differ: check for other writers in the target`,
    { persistenceId, expected, found },
  );
}

export function unreadableByAkka(
  { persistenceId, sequenceNr, payload: { serializerId } }: EventRow,
  use: AkkaUse,
  line: AkkaLine,
): JournalError {
  const akka = use === "none" ? line : use;
  const todo =
    akka === "unknown"
      ? 'open the target with akka "2.5" or "2.6", whichever uses it'
      : "copy into a journal that Akka does not use";
  return new JournalError(
    "JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA",
    `${persistenceId}: Akka ${line} cannot read event ${sequenceNr} of serializer ${serializerId} and would fail to recover the id, so the id was not copied (${todo}, or set allowUnreadableByAkka)`,
    { serializerId, akka, persistenceId, sequenceNr },
  );
}

export function rowsHidden(persistenceId: string, from: number, to: number): JournalError {
  const numbers = from === to ? `number ${from}` : `numbers ${from} to ${to}`;
  return new JournalError(
    "JOURNAL_ROWS_HIDDEN",
    `${persistenceId}: a replay does not return the events at ${numbers}, so copying stopped before them (run "tablekeep journal verify", then "repair", and copy again)`,
    { persistenceId, from, to },
  );
}

export function exportInvalid(line: number, reason: string): JournalError {
  return new JournalError("JOURNAL_EXPORT_INVALID", `line ${line} of the export ${reason}`, { line, reason });
}
