import {
  type ErrorKind,
  isTablekeepError,
  nameErrors,
  type OptionChecker,
  optionChecker,
  TablekeepError,
} from "@tablekeep/core";

/** Details of each error of a mail store, by code. */
export interface MailErrorDetails {
  /** An option that is unknown, missing or of a wrong value. */
  MAIL_OPTION_INVALID: { option: string; reason: string };
  /** A message too large for this layout or the configured limit. Permanent: SMTP replies 552. */
  MAIL_MESSAGE_TOO_LARGE: { maximum: number };
  /** The store cannot be reached or is too busy. Not stored. SMTP replies 451. */
  MAIL_STORE_UNAVAILABLE: Record<never, never>;
  /** The store is full. Not stored. SMTP replies 452. */
  MAIL_STORE_FULL: Record<never, never>;
  /** The store rejects this message permanently. Not stored. SMTP replies 554. */
  MAIL_STORE_REFUSED: { reason: string };
  /** No answer arrived in time: the message may be stored. SMTP replies 451. */
  MAIL_OUTCOME_UNKNOWN: { id: string };
  /** A delete failed after it had deleted some messages: repeat it to delete the rest. */
  MAIL_DELETE_INCOMPLETE: { deleted: number };
  /** The stored bytes are not those that were received. */
  MAIL_MESSAGE_CORRUPT: { id: string; reason: string };
  /** A write to a message that was finished or discarded, or has failed. */
  MAIL_MESSAGE_ENDED: { id: string };
  /** A query that cannot be parsed: `at` is the position in it, from 0. */
  MAIL_QUERY_INVALID: { query: string; at: number; reason: string };
  /** A zone file that cannot be parsed: `line` is counted from 1. */
  MAIL_ZONE_INVALID: { line: number; reason: string };
  /** A message would have too many tags. */
  MAIL_TAGS_TOO_MANY: { id: string; maximum: number };
  /** Messages of this layout have no marks. */
  MAIL_MARKS_UNSUPPORTED: { layout: string };
  /** A cursor that is not from this store. */
  MAIL_CURSOR_INVALID: Record<never, never>;
  /** A watcher is too far behind: list again, then watch again. */
  MAIL_WATCHER_TOO_SLOW: { maximum: number };
  /** Decoding a message takes too much time or memory. Its bytes can be read. */
  MAIL_DECODE_REFUSED: { reason: string };
  /** Checking a message takes too much time or memory. */
  MAIL_LINT_REFUSED: { reason: string };
  /** A call after `close`. */
  MAIL_CLOSED: Record<never, never>;
}

export type MailErrorCode = keyof MailErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const mailErrorKinds: Readonly<Record<MailErrorCode, ErrorKind>> = {
  MAIL_OPTION_INVALID: "invalid",
  MAIL_MESSAGE_TOO_LARGE: "limit",
  MAIL_STORE_UNAVAILABLE: "unavailable",
  MAIL_STORE_FULL: "unavailable",
  MAIL_STORE_REFUSED: "invalid",
  MAIL_OUTCOME_UNKNOWN: "unavailable",
  MAIL_DELETE_INCOMPLETE: "unavailable",
  MAIL_MESSAGE_CORRUPT: "corrupt",
  MAIL_MESSAGE_ENDED: "closed",
  MAIL_QUERY_INVALID: "invalid",
  MAIL_ZONE_INVALID: "invalid",
  MAIL_TAGS_TOO_MANY: "limit",
  MAIL_MARKS_UNSUPPORTED: "invalid",
  MAIL_CURSOR_INVALID: "invalid",
  MAIL_WATCHER_TOO_SLOW: "limit",
  MAIL_DECODE_REFUSED: "limit",
  MAIL_LINT_REFUSED: "limit",
  MAIL_CLOSED: "closed",
};

const retryable: ReadonlySet<MailErrorCode> = new Set([
  "MAIL_STORE_UNAVAILABLE",
  "MAIL_STORE_FULL",
  "MAIL_DELETE_INCOMPLETE",
  "MAIL_WATCHER_TOO_SLOW",
]);

/** Optional properties of an error. */
export interface MailErrorExtra {
  /** The write may have been applied. @default false */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** An error of this package. */
export class MailError<Code extends MailErrorCode = MailErrorCode> extends TablekeepError<
  Code,
  MailErrorDetails[Code]
> {
  static {
    nameErrors(MailError, "MailError");
  }

  constructor(code: Code, message: string, details: MailErrorDetails[Code], extra: MailErrorExtra = {}) {
    super({ code, kind: mailErrorKinds[code], message, details, retryable: retryable.has(code), ...extra });
  }
}

/**
 * Whether `error` is an error of this package with this code.
 *
 * @example
 * if (isMailError(error, "MAIL_MESSAGE_TOO_LARGE")) console.log(error.details.maximum);
 */
export function isMailError<Code extends MailErrorCode>(
  error: unknown,
  code: Code,
): error is MailError<Code> {
  return isTablekeepError(error, code);
}

/** Throws `MAIL_OPTION_INVALID`, which names the option, for unknown options and invalid values. */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);

/** The error for an invalid option. `reason` continues after the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): MailError<"MAIL_OPTION_INVALID"> {
  return new MailError("MAIL_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

/** Throws `MAIL_OPTION_INVALID` for a value that is not a `Uint8Array`. */
export function checkBytes(bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array))
    throw optionInvalid("bytes", "must be a Uint8Array: convert a string with Buffer.from");
}

/** The error for a write after the end of a message. */
export function messageEnded(id: string): MailError<"MAIL_MESSAGE_ENDED"> {
  return new MailError("MAIL_MESSAGE_ENDED", "this message has ended: begin another one", { id });
}

/** Turns a failure that certainly stored nothing into the error for the sender. */
export function storeFailure(error: unknown): unknown {
  if (!isTablekeepError(error) || error.kind === "aborted" || error instanceof MailError) return error;
  if (isFull(error))
    return new MailError(
      "MAIL_STORE_FULL",
      "the store is full: free space, then send the message again",
      {},
      { cause: error },
    );
  switch (error.kind) {
    case "invalid":
    case "limit":
    case "corrupt":
      return new MailError(
        "MAIL_STORE_REFUSED",
        `the store rejected this message: ${error.message}`,
        { reason: error.message },
        { cause: error },
      );
    default:
      return new MailError(
        "MAIL_STORE_UNAVAILABLE",
        `the store is unavailable (${error.code}): send the message again later`,
        {},
        { cause: error },
      );
  }
}

/** Whether the engine's disk is full; the error may be the cause of another one. */
function isFull(error: TablekeepError): boolean {
  let each: unknown = error;
  for (let depth = 0; depth < 5 && isTablekeepError(each); depth++) {
    if (each.code === "ENGINE_DISK_FULL") return true;
    each = each.cause;
  }
  return false;
}
