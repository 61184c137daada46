import {
  type ErrorKind,
  type Item,
  isTablekeepError,
  nameErrors,
  type OptionChecker,
  optionChecker,
  TablekeepError,
} from "@tablekeep/core";

/** An item in `alsoWrite` whose condition failed. */
export interface RejectedItem {
  /** Its place in `alsoWrite`, from 0. */
  readonly index: number;
  /** The stored item, if the action has `ReturnValuesOnConditionCheckFailure: "ALL_OLD"`. */
  readonly item?: Item;
}

/**
 * Why a snapshot cannot be read. `undecodable`: `cause` says why. `replaced`: it was replaced faster than it could be read; load again.
 */
export type SnapshotProblem =
  | "no-state"
  | "undecodable"
  | "head-corrupt"
  | "too-large"
  | "chunk-missing"
  | "chunks-corrupt"
  | "replaced";

/** The details of each error, by code. */
export interface JournalErrorDetails {
  /** An unknown, missing or invalid option. */
  JOURNAL_OPTION_INVALID: { option: string; reason: string };
  /** An event that cannot be stored: an empty tag, a timestamp that is not an integer. */
  JOURNAL_EVENT_INVALID: { field: string; reason: string };
  /** A stored event does not match the schema that the journal was opened with. */
  JOURNAL_EVENT_UNEXPECTED: { persistenceId: string; sequenceNr: number; reason: string };
  /** An item would be larger than DynamoDB, or the limit that was set, allows. */
  JOURNAL_EVENT_TOO_LARGE: { actual: number; maximum: number };
  /** A payload that its serializer cannot write without loss. */
  JOURNAL_PAYLOAD_REFUSED: {
    serializerId: number;
    /** The place in the payload: "payload.lines[2].price". */
    path: string;
    reason: string;
  };
  /** The Akka that shares the table could not read the payload, and would fail to recover the whole id. */
  JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA: {
    serializerId: number;
    akka: "2.5" | "2.6" | "unknown";
    /** Which event, where a copy was rejected. */
    persistenceId?: string;
    sequenceNr?: number;
  };
  /** No codec of this id can write. */
  JOURNAL_SERIALIZER_UNKNOWN: { serializerId: number; manifest: string };
  /** Bytes that their serializer cannot have written. */
  JOURNAL_PAYLOAD_CORRUPT: { serializerId: number; manifest: string; reason: string };
  /** A decompressed payload would be larger than allowed. */
  JOURNAL_PAYLOAD_TOO_LARGE: { serializerId: number; maximum: number };
  /** The key of the subject was forgotten: nothing more can be stored for it. */
  JOURNAL_SUBJECT_FORGOTTEN: { subject: string };
  /** The key of a payload's subject is missing, although it was not forgotten. */
  JOURNAL_KEY_MISSING: { subject: string };
  /** The stored key of a subject is corrupt, or is wrapped in a way that is not configured. */
  JOURNAL_KEY_UNREADABLE: { subject: string; reason: string };
  /** The key of a subject could not be read or created now. */
  JOURNAL_KEY_UNAVAILABLE: { subject: string };
  /** An item in no known event format. */
  JOURNAL_ROW_CORRUPT: { persistenceId: string; sequenceNr: number; attribute: string; reason: string };
  /** An item of the packed layout is corrupt. `sequenceNr` is that of its first event. */
  JOURNAL_ITEM_CORRUPT: { persistenceId: string; sequenceNr: number; reason: string };
  /** An event's bytes differ from those that were stored. */
  JOURNAL_CHECKSUM_MISMATCH: {
    persistenceId: string;
    sequenceNr: number;
    /** CRC-32, as in the row. */
    stored: number;
    /** CRC-32 of the bytes that were read. */
    computed: number;
  };
  /** Events were deleted during a replay: start again at `lowest`. */
  JOURNAL_REPLAY_TRIMMED: { persistenceId: string; sequenceNr: number; lowest: number; gaveEvents: boolean };
  /** A sequence number below the highest has no event and was not deleted. */
  JOURNAL_DAMAGED: { persistenceId: string; sequenceNr: number; found: string };
  /** An event of a superseded writer; only with `replayFilter: "fail"`. */
  JOURNAL_OLD_WRITER: { persistenceId: string; sequenceNr: number; writerUuid: string };
  /** This writer had a conflict or an unknown outcome: recover the id again. */
  JOURNAL_WRITER_ENDED: { persistenceId: string };
  /** Too many appends are waiting for this writer. */
  JOURNAL_WRITER_BUSY: { persistenceId: string; waiting: number };
  /** Another writer was first, or took over the id. */
  JOURNAL_CONFLICT: {
    persistenceId: string;
    first: number;
    last: number;
    /** The highest sequence number of the id, where an append expected another one. */
    highest?: number;
  };
  /** No response in time: the events may have been stored. */
  JOURNAL_OUTCOME_UNKNOWN: { persistenceId: string; first: number; last: number };
  /** No response in time to a request that only prepares a write: the events were not stored. Numbers are 0 if none were assigned. */
  JOURNAL_NOT_WRITTEN: { persistenceId: string; first: number; last: number };
  /** A condition of an item in `alsoWrite` failed: nothing was written. */
  JOURNAL_ALSO_WRITE_REJECTED: { rejected: readonly RejectedItem[] };
  /** An atomic write that does not fit into a transaction together with `alsoWrite`. */
  JOURNAL_WRITE_TOO_LARGE: { actual: number; maximum: number };
  /** The journal in the table was created with other settings. */
  JOURNAL_SETTINGS_DIFFER: { setting: string; stored: string; given: string };
  /** The target has other events, or lacks those before the ones to copy: nothing was overwritten. */
  JOURNAL_COPY_REFUSED: { persistenceId: string; sequenceNr: number; reason: string };
  /** After copying, the events of an id differ between source and target. */
  JOURNAL_COPY_DIFFERS: { persistenceId: string; expected: number; found: number };
  /** A copy or an export would leave out events that a replay does not return, for no known reason. */
  JOURNAL_ROWS_HIDDEN: { persistenceId: string; from: number; to: number };
  /** An invalid line of an export, or an incomplete export. */
  JOURNAL_EXPORT_INVALID: { line: number; reason: string };
  /** A state is larger than one item, and chunking is off; or larger than `maxSnapshotBytes`. */
  JOURNAL_SNAPSHOT_TOO_LARGE: {
    persistenceId: string;
    sequenceNr: number;
    /** Bytes. */
    actual: number;
    /** Bytes. */
    maximum: number;
  };
  /** A snapshot of several items was not saved; an older one with its sequence number is unchanged. */
  JOURNAL_SNAPSHOT_NOT_SAVED: { persistenceId: string; sequenceNr: number };
  /** No response in time: the snapshot may have been saved. */
  JOURNAL_SNAPSHOT_UNKNOWN: { persistenceId: string; sequenceNr: number };
  /** A stored snapshot that is corrupt, or that no codec can read. */
  JOURNAL_SNAPSHOT_UNREADABLE: {
    persistenceId: string;
    sequenceNr: number;
    problem: SnapshotProblem;
    reason: string;
  };
  /** A sequence number that a JavaScript number does not hold exactly. */
  JOURNAL_SEQUENCE_NR_UNSAFE: { sequenceNr: string };
}

export type JournalErrorCode = keyof JournalErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const journalErrorKinds: Readonly<Record<JournalErrorCode, ErrorKind>> = {
  JOURNAL_OPTION_INVALID: "invalid",
  JOURNAL_EVENT_INVALID: "invalid",
  JOURNAL_EVENT_UNEXPECTED: "corrupt",
  JOURNAL_EVENT_TOO_LARGE: "limit",
  JOURNAL_PAYLOAD_REFUSED: "invalid",
  JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA: "invalid",
  JOURNAL_SERIALIZER_UNKNOWN: "invalid",
  JOURNAL_PAYLOAD_CORRUPT: "corrupt",
  JOURNAL_PAYLOAD_TOO_LARGE: "limit",
  JOURNAL_SUBJECT_FORGOTTEN: "invalid",
  JOURNAL_KEY_MISSING: "corrupt",
  JOURNAL_KEY_UNREADABLE: "corrupt",
  JOURNAL_KEY_UNAVAILABLE: "unavailable",
  JOURNAL_ROW_CORRUPT: "corrupt",
  JOURNAL_ITEM_CORRUPT: "corrupt",
  JOURNAL_CHECKSUM_MISMATCH: "corrupt",
  JOURNAL_REPLAY_TRIMMED: "conflict",
  JOURNAL_DAMAGED: "corrupt",
  JOURNAL_OLD_WRITER: "corrupt",
  JOURNAL_WRITER_ENDED: "closed",
  JOURNAL_WRITER_BUSY: "throttled",
  JOURNAL_CONFLICT: "conflict",
  JOURNAL_OUTCOME_UNKNOWN: "unavailable",
  JOURNAL_NOT_WRITTEN: "unavailable",
  JOURNAL_ALSO_WRITE_REJECTED: "conflict",
  JOURNAL_WRITE_TOO_LARGE: "limit",
  JOURNAL_SETTINGS_DIFFER: "invalid",
  JOURNAL_COPY_REFUSED: "conflict",
  JOURNAL_COPY_DIFFERS: "corrupt",
  JOURNAL_ROWS_HIDDEN: "corrupt",
  JOURNAL_EXPORT_INVALID: "invalid",
  JOURNAL_SNAPSHOT_TOO_LARGE: "limit",
  JOURNAL_SNAPSHOT_NOT_SAVED: "unavailable",
  JOURNAL_SNAPSHOT_UNKNOWN: "unavailable",
  JOURNAL_SNAPSHOT_UNREADABLE: "corrupt",
  JOURNAL_SEQUENCE_NR_UNSAFE: "limit",
};

const retryable: ReadonlySet<JournalErrorCode> = new Set([
  "JOURNAL_REPLAY_TRIMMED",
  "JOURNAL_WRITER_BUSY",
  "JOURNAL_NOT_WRITTEN",
  "JOURNAL_KEY_UNAVAILABLE",
  "JOURNAL_SNAPSHOT_NOT_SAVED",
  "JOURNAL_SNAPSHOT_UNKNOWN",
]);

/** Options of a JournalError. */
export interface JournalErrorExtra {
  /** Whether the write may have been applied anyway. @default false */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** Base class of the journal's errors. */
export class JournalError<Code extends JournalErrorCode = JournalErrorCode> extends TablekeepError<
  Code,
  JournalErrorDetails[Code]
> {
  static {
    nameErrors(JournalError, "JournalError");
  }

  constructor(
    code: Code,
    message: string,
    details: JournalErrorDetails[Code],
    extra: JournalErrorExtra = {},
  ) {
    super({
      code,
      kind: journalErrorKinds[code],
      message,
      details,
      retryable: retryable.has(code),
      ...extra,
    });
  }
}

/**
 * Whether `error` is a JournalError with this code.
 *
 * @example
 * if (isJournalError(error, "JOURNAL_CONFLICT")) console.log(error.details.highest);
 */
export function isJournalError<Code extends JournalErrorCode>(
  error: unknown,
  code: Code,
): error is JournalError<Code> {
  return isTablekeepError(error, code);
}

/** Throws `JOURNAL_OPTION_INVALID` for unknown options and invalid values. `within` names the object that holds them. */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);

/** Returns the error for an invalid option. `reason` continues the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): JournalError<"JOURNAL_OPTION_INVALID"> {
  return new JournalError("JOURNAL_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
