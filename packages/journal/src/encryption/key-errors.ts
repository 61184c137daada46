/** Constructors of the errors of keys. */
import { isTablekeepError, type TablekeepError } from "@tablekeep/core";
import { JournalError } from "../errors/journal-error.ts";

export function subjectForgotten(subject: string): JournalError<"JOURNAL_SUBJECT_FORGOTTEN"> {
  return new JournalError(
    "JOURNAL_SUBJECT_FORGOTTEN",
    `the key of subject ${JSON.stringify(subject)} is forgotten: nothing more can be stored for it`,
    { subject },
  );
}

export function keyMissing(subject: string): JournalError<"JOURNAL_KEY_MISSING"> {
  return new JournalError(
    "JOURNAL_KEY_MISSING",
    `there is no key for subject ${JSON.stringify(subject)}, although it was not forgotten (open the key store of this journal, or restore its table)`,
    { subject },
  );
}

/** A stored key that cannot be used. `reason` continues "the key". */
export function keyUnreadable(
  subject: string,
  reason: string,
  cause?: unknown,
): JournalError<"JOURNAL_KEY_UNREADABLE"> {
  return new JournalError(
    "JOURNAL_KEY_UNREADABLE",
    `the key of subject ${JSON.stringify(subject)} ${reason}`,
    { subject, reason },
    { cause },
  );
}

/** Why a key could not be read or created. Nothing was stored with it, so the failure is never ambiguous. */
export function keyUnavailable(subject: string, cause: unknown): TablekeepError {
  if (isTablekeepError(cause, "JOURNAL_KEY_UNAVAILABLE")) return cause;
  const mayPass = !isTablekeepError(cause) || cause.retryable || cause.ambiguous || isLate(cause);
  if (!mayPass) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new JournalError(
    "JOURNAL_KEY_UNAVAILABLE",
    `the key of subject ${JSON.stringify(subject)} is unavailable (retry later): ${reason}`,
    { subject },
    { cause },
  );
}

function isLate({ code }: TablekeepError): boolean {
  return code === "CLIENT_DEADLINE_EXCEEDED";
}
