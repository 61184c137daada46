import { isTablekeepError } from "@tablekeep/core";
import type { TextSink } from "./command-context.ts";
import { exitCodes, failureKindOf } from "./exit-codes.ts";

/** How a failure is shown. */
export interface ReportStyle {
  /** One line of JSON instead of one line of text. */
  readonly json: boolean;
  /** Adds the stack and the chain of causes. */
  readonly debug: boolean;
}

/** Writes one line about `error` to `stderr` and returns the exit code of its kind. */
export function reportFailure(error: unknown, stderr: TextSink, style: ReportStyle): number {
  stderr.write(`${style.json ? jsonLine(error) : textLine(error)}\n`);
  if (style.debug) stderr.write(`${stackOf(error)}\n`);
  return exitCodes[failureKindOf(error)];
}

function textLine(error: unknown): string {
  if (!isTablekeepError(error)) {
    return oneLine(`error: a fault of tablekeep itself: ${messageOf(error)} (--debug shows where)`);
  }
  const doubt = error.ambiguous
    ? "; it may have been applied all the same, so look before you repeat it"
    : "";
  return oneLine(`error: ${error.message}${doubt} [${error.code}]`);
}

function jsonLine(error: unknown): string {
  const kind = failureKindOf(error);
  const body = isTablekeepError(error)
    ? { code: error.code, kind, message: error.message, details: error.details, retryable: error.retryable }
    : { code: "INTERNAL", kind, message: messageOf(error) };
  return JSON.stringify({ error: body }, (_key, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Messages may quote what a user or a server sent: neither breaks the line nor steers the terminal. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncaused by: ${stackOf(error.cause)}`;
}
