import { type ErrorKind, isTablekeepError } from "@tablekeep/core";

/**
 * How a command can fail: the error kinds, and `unknown` for a write that may have been applied although its response was
 * lost. Errors of other classes count as `internal`.
 */
export type FailureKind = ErrorKind | "unknown";

/** The exit code of each kind of failure. A command that succeeds exits with 0. `docs/reference/cli.md` lists the same. */
export const exitCodes: Readonly<Record<FailureKind, number>> = {
  invalid: 2,
  "not-found": 3,
  conflict: 4,
  limit: 5,
  throttled: 6,
  unavailable: 7,
  denied: 8,
  corrupt: 9,
  closed: 10,
  unknown: 11,
  internal: 70,
  aborted: 130,
};

/** What kind of failure `error` is for the one who ran the command. */
export function failureKindOf(error: unknown): FailureKind {
  if (!isTablekeepError(error)) return "internal";
  return error.ambiguous ? "unknown" : error.kind;
}
