import { isTablekeepError } from "@tablekeep/core";

/** One result of `tablekeep doctor`. */
export interface DoctorFinding {
  /** What was checked: `settings`, `folder`, `port`. */
  readonly check: string;
  /** `note`: works, but the user should read it. `wrong`: something does not work, or will not. */
  readonly status: "ok" | "note" | "wrong";
  /** What was found and, unless it is fine, what to do. */
  readonly message: string;
}

/** Returns the finding for an error with a code, whose message says what to do. Throws any other error, and an abort. */
export function findingOf(check: string, error: unknown): DoctorFinding {
  if (!isTablekeepError(error) || error.kind === "aborted") throw error;
  return { check, status: "wrong", message: `${error.message} [${error.code}]` };
}
