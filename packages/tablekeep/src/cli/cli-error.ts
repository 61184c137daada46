import { type ErrorKind, TablekeepError } from "@tablekeep/core";

/** What can be wrong with a command line, or with where its output goes. */
export type CliErrorCode =
  | "CLI_COMMAND_MISSING"
  | "CLI_COMMAND_UNKNOWN"
  | "CLI_OPTION_UNKNOWN"
  | "CLI_OPTION_MISSING"
  | "CLI_OPTION_CONFLICT"
  | "CLI_ARGUMENT_MISSING"
  | "CLI_ARGUMENT_UNEXPECTED"
  | "CLI_VALUE_INVALID"
  | "CLI_OUTPUT_FAILED";

/** The kind of each code. `docs/reference/errors.md` lists the same. */
export const cliErrorKinds: Readonly<Record<CliErrorCode, ErrorKind>> = {
  CLI_COMMAND_MISSING: "invalid",
  CLI_COMMAND_UNKNOWN: "invalid",
  CLI_OPTION_UNKNOWN: "invalid",
  CLI_OPTION_MISSING: "invalid",
  CLI_OPTION_CONFLICT: "invalid",
  CLI_ARGUMENT_MISSING: "invalid",
  CLI_ARGUMENT_UNEXPECTED: "invalid",
  CLI_VALUE_INVALID: "invalid",
  CLI_OUTPUT_FAILED: "unavailable",
};

/** A command line that cannot be run, or whose output cannot be written. The message says what is wrong. */
export class CliError extends TablekeepError<CliErrorCode> {
  constructor(code: CliErrorCode, message: string, cause?: unknown) {
    super({ code, kind: cliErrorKinds[code], message, details: {}, cause });
  }
}
