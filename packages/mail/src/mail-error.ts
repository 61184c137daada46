import { type ErrorKind, isTablekeepError, nameErrors, TablekeepError } from "@tablekeep/core";

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
