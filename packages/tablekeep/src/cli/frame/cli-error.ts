import { type ErrorKind, nameErrors, TablekeepError } from "@tablekeep/core";
import { readReason, writeReason } from "../../server/file-reason.ts";

/** Problems of a command line, of the files it names, or of its output. */
export type CliErrorCode =
  | "CLI_COMMAND_MISSING"
  | "CLI_COMMAND_UNKNOWN"
  | "CLI_OPTION_UNKNOWN"
  | "CLI_OPTION_MISSING"
  | "CLI_OPTION_CONFLICT"
  | "CLI_ARGUMENT_MISSING"
  | "CLI_ARGUMENT_UNEXPECTED"
  | "CLI_VALUE_INVALID"
  | "CLI_OUTPUT_FAILED"
  | "CLI_FILE_UNREADABLE"
  | "CLI_FILE_DENIED"
  | "CLI_FILE_INVALID"
  | "CLI_DUMP_INVALID"
  | "CLI_DATA_FOLDER_MISSING"
  | "CLI_TABLE_MISSING"
  | "CLI_NO_JOURNAL"
  | "CLI_NO_EVENTS"
  | "CLI_NO_SNAPSHOT"
  | "CLI_IMPORT_INCOMPLETE"
  | "CLI_EXPORT_INCOMPLETE"
  | "CLI_NO_MESSAGE"
  | "CLI_INBOX_TOKEN"
  | "CLI_NO_SHADOW"
  | "CLI_NO_ITEM"
  | "CLI_ITEM_EXISTS"
  | "CLI_SHADOW_EXISTS"
  | "CLI_WAIT_TIMED_OUT"
  | "CLI_NOT_SERVED"
  | "CLI_NO_GROUP"
  | "CLI_NOT_IN_GROUP"
  | "CLI_NO_ROLLOUT"
  | "CLI_NOT_CONFIRMED"
  | "CLI_NAME_TAKEN"
  | "CLI_FILE_LOCKED"
  | "CLI_JOURNAL_DAMAGED"
  | "CLI_FEED_DAMAGED"
  | "CLI_EVENTS_UNREADABLE"
  | "CLI_ITEMS_UNREADABLE"
  | "CLI_TABLE_DAMAGED"
  | "CLI_PROJECTIONS_DAMAGED"
  | "CLI_SHADOWS_DAMAGED"
  | "CLI_MAIL_DAMAGED"
  | "CLI_MAIL_FINDINGS"
  | "CLI_DOCTOR_FINDINGS"
  | "CLI_PACKAGE_MISSING"
  | "CLI_MCP_BUSY"
  | "CLI_MCP_TIMEOUT"
  | "CLI_MCP_NO_UNDO"
  | "CLI_MCP_CHANGED"
  | "CLI_ABORTED";

/** The kind of each code, as listed in `docs/reference/errors.md`. */
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
  CLI_FILE_UNREADABLE: "not-found",
  CLI_FILE_DENIED: "denied",
  CLI_FILE_INVALID: "invalid",
  CLI_DUMP_INVALID: "invalid",
  CLI_DATA_FOLDER_MISSING: "not-found",
  CLI_TABLE_MISSING: "not-found",
  CLI_NO_JOURNAL: "invalid",
  CLI_NO_EVENTS: "not-found",
  CLI_NO_SNAPSHOT: "not-found",
  CLI_IMPORT_INCOMPLETE: "invalid",
  CLI_EXPORT_INCOMPLETE: "corrupt",
  CLI_NO_MESSAGE: "not-found",
  CLI_INBOX_TOKEN: "denied",
  CLI_NO_SHADOW: "not-found",
  CLI_NO_ITEM: "not-found",
  CLI_ITEM_EXISTS: "conflict",
  CLI_SHADOW_EXISTS: "conflict",
  CLI_WAIT_TIMED_OUT: "not-found",
  CLI_NOT_SERVED: "not-found",
  CLI_NO_GROUP: "not-found",
  CLI_NOT_IN_GROUP: "not-found",
  CLI_NO_ROLLOUT: "not-found",
  CLI_NOT_CONFIRMED: "invalid",
  CLI_NAME_TAKEN: "conflict",
  CLI_FILE_LOCKED: "conflict",
  CLI_JOURNAL_DAMAGED: "corrupt",
  CLI_FEED_DAMAGED: "corrupt",
  CLI_EVENTS_UNREADABLE: "corrupt",
  CLI_ITEMS_UNREADABLE: "corrupt",
  CLI_TABLE_DAMAGED: "corrupt",
  CLI_PROJECTIONS_DAMAGED: "corrupt",
  CLI_SHADOWS_DAMAGED: "corrupt",
  CLI_MAIL_DAMAGED: "corrupt",
  CLI_MAIL_FINDINGS: "corrupt",
  CLI_DOCTOR_FINDINGS: "corrupt",
  CLI_PACKAGE_MISSING: "not-found",
  CLI_MCP_BUSY: "throttled",
  CLI_MCP_TIMEOUT: "unavailable",
  CLI_MCP_NO_UNDO: "not-found",
  CLI_MCP_CHANGED: "conflict",
  CLI_ABORTED: "aborted",
};

/** A command line that cannot be run, or whose files cannot be read or written. The message says what is wrong. */
export class CliError extends TablekeepError<CliErrorCode> {
  static {
    nameErrors(CliError, "CliError");
  }

  constructor(code: CliErrorCode, message: string, cause?: unknown, details: object = {}) {
    super({ code, kind: cliErrorKinds[code], message, details, cause });
  }
}

/** The error for a file that cannot be read. `what` says which file it is, such as the option that names it. */
export function unreadableFile(path: string, error: unknown, what = ""): CliError {
  const of = what === "" ? "" : ` (${what})`;
  const message = `cannot read ${path}${of}: ${readReason(error)}`;
  const details = { path, ...(what !== "" && { what }) };
  return new CliError(isDenied(error) ? "CLI_FILE_DENIED" : "CLI_FILE_UNREADABLE", message, error, details);
}

/** The error for a file that cannot be written. */
export function unwritableFile(path: string, error: unknown): CliError {
  const message = `cannot write ${path}: ${writeReason(error)}`;
  return new CliError(isDenied(error) ? "CLI_FILE_DENIED" : "CLI_OUTPUT_FAILED", message, error, { path });
}

/** Whether the permissions of a file or its folder are the reason. */
function isDenied(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM";
}
