import { type ErrorKind, isTablekeepError } from "@tablekeep/core";
import type { CommanderError } from "commander";
import { CliError, type CliErrorCode } from "./cli-error.ts";
import type { TextSink } from "./text-output.ts";

/**
 * How a command can fail: the error kinds, and `unknown` for a write that may have been applied although its response was
 * lost. Errors of other classes count as `internal`.
 */
export type FailureKind = ErrorKind | "unknown";

/** The exit code of each kind of failure. A command that succeeds exits with 0, as listed in `docs/reference/cli.md`. */
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

/** The kind of failure that `error` is. */
function failureKindOf(error: unknown): FailureKind {
  if (!isTablekeepError(error)) return "internal";
  return error.ambiguous ? "unknown" : error.kind;
}

/** How to show a failure. */
export interface ReportStyle {
  /** One line of JSON instead of one line of text. */
  readonly json: boolean;
  /** Adds the stack and the chain of causes. */
  readonly debug: boolean;
  /** Whether the terminal shows colors. @default false */
  readonly colors?: boolean;
}

/** Writes one line about `error` to `stderr` and returns the exit code of its kind. */
export function reportFailure(error: unknown, stderr: TextSink, style: ReportStyle): number {
  const text = style.json ? jsonLine(error) : textLine(error);
  stderr.write(
    `${style.colors && !style.json ? text.replace(/^error:/, "\u001b[31merror:\u001b[39m") : text}\n`,
  );
  if (style.debug) stderr.write(`${stackOf(error)}\n`);
  return exitCodes[failureKindOf(error)];
}

function textLine(error: unknown): string {
  if (!isTablekeepError(error)) {
    return oneLine(`error: internal error: ${messageOf(error)} (--debug shows where)`);
  }
  const doubt = error.ambiguous ? "; it may have been applied: check before you repeat it" : "";
  return oneLine(`error: ${error.message}${doubt} [${error.code}]`);
}

function jsonLine(error: unknown): string {
  return JSON.stringify({ error: failureJson(error) });
}

/** An error as shown with `--json`, and to agents. */
export function failureJson(error: unknown): object {
  const kind = failureKindOf(error);
  const body = isTablekeepError(error)
    ? { code: error.code, kind, message: error.message, details: error.details, retryable: error.retryable }
    : { code: "INTERNAL", kind, message: messageOf(error) };
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  return JSON.parse(text) as object;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Escapes a message, which may quote input: it must not break the line or control the terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${stackOf(error.cause)}`;
}

/** Commander's codes for a wrong command line, and ours. */
const codes: Readonly<Record<string, CliErrorCode>> = {
  "commander.help": "CLI_COMMAND_MISSING",
  "commander.unknownCommand": "CLI_COMMAND_UNKNOWN",
  "commander.unknownOption": "CLI_OPTION_UNKNOWN",
  "commander.optionMissingArgument": "CLI_OPTION_MISSING",
  "commander.missingMandatoryOptionValue": "CLI_OPTION_MISSING",
  "commander.conflictingOption": "CLI_OPTION_CONFLICT",
  "commander.missingArgument": "CLI_ARGUMENT_MISSING",
  "commander.excessArguments": "CLI_ARGUMENT_UNEXPECTED",
  "commander.invalidArgument": "CLI_VALUE_INVALID",
};

/** Our error for a rejection by the parser; undefined if it only showed the help or the version. */
export function translateCommanderError(error: CommanderError): CliError | undefined {
  if (error.exitCode === 0) return undefined;
  const code = codes[error.code] ?? "CLI_VALUE_INVALID";
  // Commander has just written its help to stderr, and its message adds nothing.
  if (code === "CLI_COMMAND_MISSING") return new CliError(code, "missing command: see the list above", error);
  const [what = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const hint = suggestion?.replace(/^\(Did you mean (.*)\?\)$/, "did you mean $1?") ?? "see --help";
  const message = what
    .replace(
      /^command-argument value ('.*') is invalid for argument ('.*?')\. /s,
      "argument $2 value $1 is invalid: ",
    )
    .replace(/\.$/, "")
    .replace(" is invalid. ", " is invalid: ");
  return new CliError(code, message.includes(": ") ? message : `${message}: ${hint}`, error);
}
