import { readReason, writeReason } from "../../server/file-reason.ts";
import { CliError } from "./cli-error.ts";

/** The error for a file that cannot be read. `what` says which file it is, such as the option that names it. */
export function unreadableFile(path: string, error: unknown, what = ""): CliError {
  const of = what === "" ? "" : ` (${what})`;
  return new CliError("CLI_FILE_UNREADABLE", `cannot read ${path}${of}: ${readReason(error)}`, error);
}

/** The error for a file that cannot be written. */
export function unwritableFile(path: string, error: unknown): CliError {
  return new CliError("CLI_OUTPUT_FAILED", `cannot write ${path}: ${writeReason(error)}`, error);
}
