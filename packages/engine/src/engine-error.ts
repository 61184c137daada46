import {
  type ErrorKind,
  isTablekeepError,
  nameErrors,
  type OptionChecker,
  optionChecker,
  TablekeepError,
} from "@tablekeep/core";

/** Errors of the engine itself, by code. What DynamoDB would reject is a `DynamoError`. */
export interface EngineErrorDetails {
  ENGINE_OPTION_INVALID: { option: string; reason: string };
  ENGINE_CLOSED: Record<never, never>;
  ENGINE_ABORTED: Record<never, never>;
  ENGINE_DEADLINE_EXCEEDED: { deadlineMs: number };
  /** Another process has the folder open. */
  ENGINE_FOLDER_LOCKED: { path: string; pid: number; host: string; endpoint?: string };
  /** The folder cannot be used: not a folder, not readable, not writable. */
  ENGINE_FOLDER_UNUSABLE: { path: string };
  /** This user may not read or write the folder. */
  ENGINE_FOLDER_DENIED: { path: string };
  /** The folder was written by a version with another format. */
  ENGINE_FORMAT_UNKNOWN: { path: string; found: string; supported: string };
  /** No space: nothing was written. */
  ENGINE_DISK_FULL: { path?: string };
  /** The disk reported an error: the write may or may not have been applied. */
  ENGINE_DISK_FAILED: { path?: string };
}

export type EngineErrorCode = keyof EngineErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const engineErrorKinds: Readonly<Record<EngineErrorCode, ErrorKind>> = {
  ENGINE_OPTION_INVALID: "invalid",
  ENGINE_CLOSED: "closed",
  ENGINE_ABORTED: "aborted",
  ENGINE_DEADLINE_EXCEEDED: "unavailable",
  ENGINE_FOLDER_LOCKED: "conflict",
  ENGINE_FOLDER_UNUSABLE: "invalid",
  ENGINE_FOLDER_DENIED: "denied",
  ENGINE_FORMAT_UNKNOWN: "invalid",
  ENGINE_DISK_FULL: "unavailable",
  ENGINE_DISK_FAILED: "unavailable",
};

const retryable: ReadonlySet<EngineErrorCode> = new Set(["ENGINE_DISK_FULL", "ENGINE_DISK_FAILED"]);

/** Optional members of an error of this package. */
export interface EngineErrorExtra {
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** An error of this package. */
export class EngineError<Code extends EngineErrorCode = EngineErrorCode> extends TablekeepError<
  Code,
  EngineErrorDetails[Code]
> {
  static {
    nameErrors(EngineError, "EngineError");
  }

  constructor(code: Code, message: string, details: EngineErrorDetails[Code], extra: EngineErrorExtra = {}) {
    super({ code, kind: engineErrorKinds[code], message, details, retryable: retryable.has(code), ...extra });
  }
}

/**
 * Returns whether `error` is an error of this package with this code.
 *
 * @example
 * if (isEngineError(error, "ENGINE_FOLDER_LOCKED")) console.log(error.message);
 */
export function isEngineError<Code extends EngineErrorCode>(
  error: unknown,
  code: Code,
): error is EngineError<Code> {
  return isTablekeepError(error, code);
}

/**
 * Rejects unknown options and invalid values with an `ENGINE_OPTION_INVALID` that names the option. `within` names
 * the option that contains these.
 */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);

/** The error for an invalid option. `reason` continues after the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): EngineError<"ENGINE_OPTION_INVALID"> {
  return new EngineError("ENGINE_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
