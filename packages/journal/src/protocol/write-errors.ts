import type { TablekeepError } from "@tablekeep/core";
import { JournalError, type RejectedItem } from "../errors/journal-error.ts";
import type { EventRow } from "../rows/event-row.ts";

/** Constructors of the errors of reading and writing. */

export function trimmed(
  persistenceId: string,
  sequenceNr: number,
  lowest: number,
  gaveEvents: boolean,
): JournalError {
  return new JournalError(
    "JOURNAL_REPLAY_TRIMMED",
    `${persistenceId}: event ${sequenceNr} was deleted during the replay: start again at ${lowest}`,
    { persistenceId, sequenceNr, lowest, gaveEvents },
  );
}

export function damaged(persistenceId: string, sequenceNr: number, found: string): JournalError {
  return new JournalError(
    "JOURNAL_DAMAGED",
    `${persistenceId}: sequence number ${sequenceNr} has ${found} instead of an event: run "tablekeep journal verify"`,
    { persistenceId, sequenceNr, found },
  );
}

export function oldWriter({ persistenceId, sequenceNr, writerUuid }: EventRow): JournalError {
  return new JournalError(
    "JOURNAL_OLD_WRITER",
    `${persistenceId}: event ${sequenceNr} was written by ${writerUuid} after it had been superseded: set a replayFilter that skips such events`,
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
    `${persistenceId}: ${waiting} appends are waiting: wait for some to complete before appending more`,
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
    `${persistenceId}: another writer wrote event ${first} or took over the id: recover the id again`,
    { persistenceId, first, last },
    { cause },
  );
}

export function outcomeUnknown({ persistenceId, first, last }: Numbers, cause: TablekeepError): JournalError {
  return new JournalError(
    "JOURNAL_OUTCOME_UNKNOWN",
    `${persistenceId}: events ${first} to ${last} may have been stored: recover the id again and replay`,
    { persistenceId, first, last },
    { cause, ambiguous: true },
  );
}

/**
 * The error of a write that failed before its commit was sent. Only its preparation can be unknown, never the write.
 */
export function notWritten({ persistenceId, first, last }: Numbers, cause: TablekeepError): TablekeepError {
  if (!cause.ambiguous) return cause;
  return new JournalError(
    "JOURNAL_NOT_WRITTEN",
    `${persistenceId}: events ${first} to ${last} were not stored: append them again (${cause.message})`,
    { persistenceId, first, last },
    { cause },
  );
}

export function alsoWriteRejected(cause: TablekeepError, rejected: readonly RejectedItem[]): JournalError {
  return new JournalError(
    "JOURNAL_ALSO_WRITE_REJECTED",
    `the condition of alsoWrite[${rejected.map(({ index }) => index).join(", ")}] failed: nothing was written`,
    { rejected },
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
    `${persistenceId}: no event fits into a transaction beside the items of alsoWrite: pass fewer or smaller items`,
    { actual, maximum },
  );
}
