/** Constructors of the errors of snapshots. */
import type { TablekeepError } from "@tablekeep/core";
import { JournalError, type SnapshotProblem } from "../errors/journal-error.ts";

interface Place {
  readonly persistenceId: string;
  readonly sequenceNr: number;
}

/** The error of a state that is larger than an option allows. Begins with the original's words. */
export function snapshotTooLarge(
  { persistenceId, sequenceNr }: Place,
  actual: number,
  maximum: number,
  option: "maxItemSize" | "maxSnapshotBytes",
): JournalError<"JOURNAL_SNAPSHOT_TOO_LARGE"> {
  const advice = option === "maxItemSize" ? "enable chunking, or make the state smaller" : `raise ${option}`;
  return new JournalError(
    "JOURNAL_SNAPSHOT_TOO_LARGE",
    `MaxItemSize exceeded: ${actual} > ${maximum} for snapshot ${sequenceNr} of ${JSON.stringify(persistenceId)} (${advice})`,
    { persistenceId, sequenceNr, actual, maximum },
  );
}

/** The error of a chunked save that failed before its commit: certainly not saved. */
export function snapshotNotSaved(
  { persistenceId, sequenceNr }: Place,
  cause: TablekeepError,
): JournalError<"JOURNAL_SNAPSHOT_NOT_SAVED"> {
  return new JournalError(
    "JOURNAL_SNAPSHOT_NOT_SAVED",
    `snapshot ${sequenceNr} of ${JSON.stringify(persistenceId)} was not saved; an older snapshot with this sequence number is unchanged (save again): ${cause.message}`,
    { persistenceId, sequenceNr },
    { cause },
  );
}

/** The error of a save whose commit got no answer. */
export function snapshotUnknown(
  { persistenceId, sequenceNr }: Place,
  cause: TablekeepError,
): JournalError<"JOURNAL_SNAPSHOT_UNKNOWN"> {
  return new JournalError(
    "JOURNAL_SNAPSHOT_UNKNOWN",
    `snapshot ${sequenceNr} of ${JSON.stringify(persistenceId)} may have been saved (load it, or save again): ${cause.message}`,
    { persistenceId, sequenceNr },
    { cause, ambiguous: true },
  );
}

const adviceFor: Partial<Record<SnapshotProblem, string>> = {
  "too-large": "raise maxSnapshotBytes, or set onUnreadable",
  replaced: "load again",
};

/** The error of an unreadable snapshot. `reason` continues the sentence "snapshot 7 of …". */
export function snapshotUnreadable(
  { persistenceId, sequenceNr }: Place,
  problem: SnapshotProblem,
  reason: string,
  cause?: unknown,
): JournalError<"JOURNAL_SNAPSHOT_UNREADABLE"> {
  return new JournalError(
    "JOURNAL_SNAPSHOT_UNREADABLE",
    `snapshot ${sequenceNr} of ${JSON.stringify(persistenceId)} ${reason} (${adviceFor[problem] ?? "delete it, or set onUnreadable"})`,
    { persistenceId, sequenceNr, problem, reason },
    { cause },
  );
}
