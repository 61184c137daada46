import {
  checkOptions as checkOptionsOf,
  type ErrorKind,
  isTablekeepError,
  nameErrors,
  type OptionChecks,
  TablekeepError,
} from "@tablekeep/core";

/** What goes wrong between a caller and a journal, by code. */
export interface JournalErrorDetails {
  /** An option that is unknown, missing or of a wrong value. */
  JOURNAL_OPTION_INVALID: { option: string; reason: string };
  /** An event that cannot be stored as it is: a tag without text, a number that is none. */
  JOURNAL_EVENT_INVALID: { field: string; reason: string };
  /** An item would be larger than DynamoDB, or the limit that was set, allows. */
  JOURNAL_EVENT_TOO_LARGE: { actual: number; maximum: number };
  /** A payload that its serializer cannot write without loss. */
  JOURNAL_PAYLOAD_REFUSED: {
    serializerId: number;
    /** Where in the payload: "payload.lines[2].price". */
    path: string;
    reason: string;
  };
  /** The Akka that shares the table could not read the payload, and would fail to recover the whole id. */
  JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA: {
    serializerId: number;
    akka: "2.5" | "2.6" | "unknown";
    /** Which event, where a copy was refused. */
    persistenceId?: string;
    sequenceNr?: number;
  };
  /** No codec of this id can write. */
  JOURNAL_SERIALIZER_UNKNOWN: { serializerId: number; manifest: string };
  /** Bytes that are not what their serializer writes. */
  JOURNAL_PAYLOAD_CORRUPT: { serializerId: number; manifest: string; reason: string };
  /** Unpacked, a payload would be larger than allowed. */
  JOURNAL_PAYLOAD_TOO_LARGE: { serializerId: number; maximum: number };
  /** An item that is not what either plugin, or this journal, writes. */
  JOURNAL_ROW_CORRUPT: { persistenceId: string; sequenceNr: number; attribute: string; reason: string };
  /** An event's bytes are not those that were stored. */
  JOURNAL_CHECKSUM_MISMATCH: {
    persistenceId: string;
    sequenceNr: number;
    /** CRC-32, as in the row. */
    stored: number;
    /** CRC-32, of what was read. */
    computed: number;
  };
  /** Events were deleted while they were being replayed: begin again, at `lowest`. */
  JOURNAL_REPLAY_TRIMMED: { persistenceId: string; sequenceNr: number; lowest: number; gaveEvents: boolean };
  /** A number below the highest holds no event, and was not deleted. */
  JOURNAL_DAMAGED: { persistenceId: string; sequenceNr: number; found: string };
  /** An event of a writer that another had followed; with `replayFilter: "fail"` only. */
  JOURNAL_OLD_WRITER: { persistenceId: string; sequenceNr: number; writerUuid: string };
  /** This writer had a conflict or an unknown outcome: recover the id again. */
  JOURNAL_WRITER_ENDED: { persistenceId: string };
  /** More appends wait for this writer than it takes. */
  JOURNAL_WRITER_BUSY: { persistenceId: string; waiting: number };
  /** Another writer was faster, or has taken the id over. */
  JOURNAL_CONFLICT: { persistenceId: string; first: number; last: number };
  /** No answer came in time: the events may be stored. */
  JOURNAL_OUTCOME_UNKNOWN: { persistenceId: string; first: number; last: number };
  /** No answer came in time, to what only prepares a write: the events are surely not stored. */
  JOURNAL_NOT_WRITTEN: { persistenceId: string; first: number; last: number };
  /** A condition of an item in `alsoWrite` failed: nothing was written. */
  JOURNAL_ALSO_WRITE_REFUSED: Record<never, never>;
  /** An atomic write, with what goes along, that no transaction holds. */
  JOURNAL_WRITE_TOO_LARGE: { actual: number; maximum: number };
  /** The table's journal was made with other settings. */
  JOURNAL_SETTINGS_DIFFER: { setting: string; stored: string; given: string };
  /** What was to be copied meets other events in the target, or none to go on from: nothing was overwritten. */
  JOURNAL_COPY_REFUSED: { persistenceId: string; sequenceNr: number; reason: string };
  /** After copying, the events of an id are not the same on both sides. */
  JOURNAL_COPY_DIFFERS: { persistenceId: string; expected: number; found: number };
  /** A copy or an export would leave out events that a replay does not give, for no known reason. */
  JOURNAL_ROWS_HIDDEN: { persistenceId: string; from: number; to: number };
  /** A line that is not what an export writes, or an export that was cut short. */
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
  /** A snapshot of several items is surely not saved; an older one of its number is as it was. */
  JOURNAL_SNAPSHOT_NOT_SAVED: { persistenceId: string; sequenceNr: number };
  /** No answer came in time: the snapshot may be saved. */
  JOURNAL_SNAPSHOT_UNKNOWN: { persistenceId: string; sequenceNr: number };
  /** A snapshot that is there and is not what was saved, or that no codec can read. */
  JOURNAL_SNAPSHOT_UNREADABLE: { persistenceId: string; sequenceNr: number; reason: string };
  /** A sequence number that a JavaScript number does not hold exactly. */
  JOURNAL_SEQUENCE_NR_UNSAFE: { sequenceNr: string };
}

export type JournalErrorCode = keyof JournalErrorDetails;

/** The kind of each code. `docs/reference/errors.md` lists the same. */
export const journalErrorKinds: Readonly<Record<JournalErrorCode, ErrorKind>> = {
  JOURNAL_OPTION_INVALID: "invalid",
  JOURNAL_EVENT_INVALID: "invalid",
  JOURNAL_EVENT_TOO_LARGE: "limit",
  JOURNAL_PAYLOAD_REFUSED: "invalid",
  JOURNAL_PAYLOAD_UNREADABLE_BY_AKKA: "invalid",
  JOURNAL_SERIALIZER_UNKNOWN: "invalid",
  JOURNAL_PAYLOAD_CORRUPT: "corrupt",
  JOURNAL_PAYLOAD_TOO_LARGE: "limit",
  JOURNAL_ROW_CORRUPT: "corrupt",
  JOURNAL_CHECKSUM_MISMATCH: "corrupt",
  JOURNAL_REPLAY_TRIMMED: "conflict",
  JOURNAL_DAMAGED: "corrupt",
  JOURNAL_OLD_WRITER: "corrupt",
  JOURNAL_WRITER_ENDED: "closed",
  JOURNAL_WRITER_BUSY: "throttled",
  JOURNAL_CONFLICT: "conflict",
  JOURNAL_OUTCOME_UNKNOWN: "unavailable",
  JOURNAL_NOT_WRITTEN: "unavailable",
  JOURNAL_ALSO_WRITE_REFUSED: "conflict",
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
  "JOURNAL_SNAPSHOT_NOT_SAVED",
  "JOURNAL_SNAPSHOT_UNKNOWN",
]);

/** What beside code, message and details an error of this room may say. */
export interface JournalErrorExtra {
  /** The write may have been applied all the same. @default false */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** An error of this room. */
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

/** Whether `error` is of this room and of this code. */
export function isJournalError<Code extends JournalErrorCode>(
  error: unknown,
  code: Code,
): error is JournalError<Code> {
  return isTablekeepError(error, code);
}

/** Refuses options that do not exist and values that do not fit, with a `JOURNAL_OPTION_INVALID`. `within` names what holds them. */
export function checkOptions<Options extends object>(
  given: Options,
  checks: OptionChecks<Options>,
  within?: string,
): void {
  checkOptionsOf(given, checks, optionInvalid, within);
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): JournalError<"JOURNAL_OPTION_INVALID"> {
  return new JournalError("JOURNAL_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
