import { isTablekeepError } from "@tablekeep/core";

/** Findings that are not an error with a code, as listed in `docs/reference/cli.md`. */
export const doctorReasons = [
  "as-specified",
  "behind",
  "clock-differs",
  "clock-in-step",
  "corrupt",
  "counted",
  "damaged",
  "disk-full",
  "disk-has-space",
  "endpoint-invalid",
  "endpoint-silent",
  "endpoint-without-date",
  "folder-denied",
  "folder-missing",
  "folder-shared",
  "folder-usable",
  "never-synced",
  "not-running",
  "not-served",
  "owner-silent",
  "parked",
  "paused",
  "port-free",
  "port-ours",
  "quota-reached",
  "running",
  "served",
  "settings-valid",
  "stopped",
  "sync-failed",
  "sync-rejected",
  "synced",
  "table-differs",
  "table-missing",
  "undamaged",
  "unowned",
  "unreadable",
] as const;

export type DoctorReason = (typeof doctorReasons)[number];

/** One result of `tablekeep doctor`. */
export interface DoctorFinding {
  /** What was checked: `settings`, `folder`, `port`. */
  readonly check: string;
  /** `note`: works, but the user should read it. `wrong`: something does not work, or will not. */
  readonly status: "ok" | "note" | "wrong";
  /** What was found, for programs: one of {@link doctorReasons}, or the code of an error. */
  readonly reason: DoctorReason | Uppercase<string>;
  /** The values in the message. */
  readonly details?: object;
  /** What was found and, unless it is fine, what to do. */
  readonly message: string;
}

/** Returns the finding for an error with a code, whose message says what to do. Throws any other error, and an abort. */
export function findingOf(check: string, error: unknown): DoctorFinding {
  if (!isTablekeepError(error) || error.kind === "aborted") throw error;
  const { code, details, message } = error;
  // Codes are in upper case; `TablekeepError` types them as strings.
  const reason = code as Uppercase<string>;
  return { check, status: "wrong", reason, details, message: `${message} [${code}]` };
}
