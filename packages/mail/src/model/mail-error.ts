import {
  checkOptions as checkOptionsOf,
  type ErrorKind,
  isTablekeepError,
  nameErrors,
  type OptionChecks,
  TablekeepError,
} from "@tablekeep/core";

/** What goes wrong between a caller and a mail store, by code. */
export interface MailErrorDetails {
  /** An option that is unknown, missing or of a wrong value. */
  MAIL_OPTION_INVALID: { option: string; reason: string };
  /** A message that this layout or the limit that was set does not take. Permanent: SMTP says 552. */
  MAIL_MESSAGE_TOO_LARGE: { maximum: number };
  /** The store cannot be reached or is too busy: surely not stored. SMTP says 451. */
  MAIL_STORE_UNAVAILABLE: Record<never, never>;
  /** The store has no room: surely not stored. SMTP says 452. */
  MAIL_STORE_FULL: Record<never, never>;
  /** The store refuses this message, and always will: surely not stored. SMTP says 554. */
  MAIL_STORE_REFUSED: { reason: string };
  /** No answer came in time: the message may be stored. SMTP says 451. */
  MAIL_OUTCOME_UNKNOWN: { id: string };
  /** Some messages were deleted, and then something went wrong: delete again to go on. */
  MAIL_DELETE_INCOMPLETE: { deleted: number };
  /** What is stored is not what was received. */
  MAIL_MESSAGE_CORRUPT: { id: string; reason: string };
  /** A message that was discarded, finished or failed before takes no more. */
  MAIL_MESSAGE_ENDED: { id: string };
  /** A cursor that this store did not give. */
  MAIL_CURSOR_INVALID: Record<never, never>;
  /** A watcher that is too far behind: list again, then watch anew. */
  MAIL_WATCHER_TOO_SLOW: { maximum: number };
  /** A message that takes too long or too much to decode. Its bytes are there. */
  MAIL_DECODE_REFUSED: { reason: string };
  /** Used after close. */
  MAIL_CLOSED: Record<never, never>;
}

export type MailErrorCode = keyof MailErrorDetails;

/** The kind of each code. `docs/reference/errors.md` lists the same. */
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
  MAIL_CURSOR_INVALID: "invalid",
  MAIL_WATCHER_TOO_SLOW: "limit",
  MAIL_DECODE_REFUSED: "limit",
  MAIL_CLOSED: "closed",
};

const retryable: ReadonlySet<MailErrorCode> = new Set([
  "MAIL_STORE_UNAVAILABLE",
  "MAIL_STORE_FULL",
  "MAIL_DELETE_INCOMPLETE",
  "MAIL_WATCHER_TOO_SLOW",
]);

/** What beside code, message and details an error of this room may say. */
export interface MailErrorExtra {
  /** The write may have been applied all the same. @default false */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** An error of this room. */
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

/** Whether `error` is of this room and of this code. */
export function isMailError<Code extends MailErrorCode>(
  error: unknown,
  code: Code,
): error is MailError<Code> {
  return isTablekeepError(error, code);
}

/** Refuses options that do not exist and values that do not fit, with a `MAIL_OPTION_INVALID` that names the option. */
export function checkOptions<Options extends object>(given: Options, checks: OptionChecks<Options>): void {
  checkOptionsOf(given, checks, optionInvalid);
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): MailError<"MAIL_OPTION_INVALID"> {
  return new MailError("MAIL_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

/** Throws `MAIL_OPTION_INVALID` for what is not bytes. */
export function checkBytes(bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array))
    throw optionInvalid("bytes", "must be a Uint8Array: convert a string with Buffer.from");
}

/** The error for bytes that come after the end of a message. */
export function messageEnded(id: string): MailError<"MAIL_MESSAGE_ENDED"> {
  return new MailError("MAIL_MESSAGE_ENDED", "this message has ended: begin another", { id });
}

/** The error for a sender after a failure that surely stored nothing. */
export function storeFailure(error: unknown): unknown {
  if (!isTablekeepError(error) || error.kind === "aborted" || error instanceof MailError) return error;
  if (isFull(error))
    return new MailError(
      "MAIL_STORE_FULL",
      "the store has no room: free some and send again",
      {},
      { cause: error },
    );
  switch (error.kind) {
    case "invalid":
    case "limit":
    case "corrupt":
      return new MailError(
        "MAIL_STORE_REFUSED",
        `the store refuses this message: ${error.message}`,
        { reason: error.message },
        { cause: error },
      );
    default:
      return new MailError(
        "MAIL_STORE_UNAVAILABLE",
        `the store cannot take the message now (${error.code}): send it again later`,
        {},
        { cause: error },
      );
  }
}

/** The engine's word for a full disk, also behind the error of a batch. */
function isFull(error: TablekeepError): boolean {
  let each: unknown = error;
  for (let depth = 0; depth < 5 && isTablekeepError(each); depth++) {
    if (each.code === "ENGINE_DISK_FULL") return true;
    each = each.cause;
  }
  return false;
}
