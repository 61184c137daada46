import type { TablekeepError } from "@tablekeep/core";
import { JournalError } from "../errors/journal-error.ts";
import type { EventRow } from "../rows/event-row.ts";

/** The errors of reading and writing, in words. */

export function trimmed(
  persistenceId: string,
  sequenceNr: number,
  lowest: number,
  gaveEvents: boolean,
): JournalError {
  return new JournalError(
    "JOURNAL_REPLAY_TRIMMED",
    `${persistenceId}: event ${sequenceNr} was deleted while it was being replayed: begin again, at ${lowest}`,
    { persistenceId, sequenceNr, lowest, gaveEvents },
  );
}

export function damaged(persistenceId: string, sequenceNr: number, found: string): JournalError {
  return new JournalError(
    "JOURNAL_DAMAGED",
    `${persistenceId}: number ${sequenceNr} holds ${found} instead of an event: run "tablekeep journal verify"`,
    { persistenceId, sequenceNr, found },
  );
}

export function oldWriter({ persistenceId, sequenceNr, writerUuid }: EventRow): JournalError {
  return new JournalError(
    "JOURNAL_OLD_WRITER",
    `${persistenceId}: event ${sequenceNr} is of writer ${writerUuid}, which another had followed`,
    { persistenceId, sequenceNr, writerUuid },
  );
}

export function writerEnded(persistenceId: string): JournalError {
  return new JournalError(
    "JOURNAL_WRITER_ENDED",
    `${persistenceId}: an earlier write of this writer ended as conflict or unknown: recover the id again`,
    { persistenceId },
  );
}

export function writerBusy(persistenceId: string, waiting: number): JournalError {
  return new JournalError(
    "JOURNAL_WRITER_BUSY",
    `${persistenceId}: ${waiting} appends wait already: wait for some to end before you append more`,
    { persistenceId, waiting },
  );
}

interface Numbers {
  readonly persistenceId: string;
  readonly first: number;
  readonly last: number;
}

export function conflict({ persistenceId, first, last }: Numbers, cause: TablekeepError): JournalError {
  return new JournalError(
    "JOURNAL_CONFLICT",
    `${persistenceId}: another writer has number ${first} or has taken the id over: recover it again`,
    { persistenceId, first, last },
    { cause },
  );
}

export function outcomeUnknown({ persistenceId, first, last }: Numbers, cause: TablekeepError): JournalError {
  return new JournalError(
    "JOURNAL_OUTCOME_UNKNOWN",
    `${persistenceId}: events ${first} to ${last} may be stored: recover the id again and look`,
    { persistenceId, first, last },
    { cause, ambiguous: true },
  );
}

/** What went wrong before anything was sent that could make the write count. In doubt is at most what only prepares it. */
export function notWritten({ persistenceId, first, last }: Numbers, cause: TablekeepError): TablekeepError {
  if (!cause.ambiguous) return cause;
  return new JournalError(
    "JOURNAL_NOT_WRITTEN",
    `${persistenceId}: events ${first} to ${last} are not stored, append them again (${cause.message})`,
    { persistenceId, first, last },
    { cause },
  );
}

export function alsoWriteRefused(cause: TablekeepError): JournalError {
  return new JournalError(
    "JOURNAL_ALSO_WRITE_REFUSED",
    "a condition of an item in alsoWrite failed: nothing was written",
    {},
    { cause },
  );
}

export function writeTooLarge(
  { persistenceId }: Numbers,
  actual: number,
  maximum: number,
): JournalError<"JOURNAL_WRITE_TOO_LARGE"> {
  return new JournalError(
    "JOURNAL_WRITE_TOO_LARGE",
    `${persistenceId}: with its items of alsoWrite not even one event fits into a transaction: write fewer or smaller ones along`,
    { actual, maximum },
  );
}
