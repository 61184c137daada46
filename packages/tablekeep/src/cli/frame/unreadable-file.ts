import { CliError } from "./cli-error.ts";

/** What the usual codes of the system mean. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "this user may not read it",
  EPERM: "this user may not read it",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of its path is not a folder",
};

/** The error for a file that cannot be read. `what` says which file it is, such as the option that names it. */
export function unreadableFile(path: string, error: unknown, what = ""): CliError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const reason = Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : code || message;
  const of = what === "" ? "" : ` (${what})`;
  return new CliError("CLI_FILE_UNREADABLE", `cannot read ${path}${of}: ${reason}`, error);
}
