import { expect, test } from "vitest";
import { unreadableFile, unwritableFile } from "./cli-error.ts";
import { reportFailure } from "./failures.ts";

const systemError = (code: string) => Object.assign(new Error(code), { code });
const exitCodeOf = (error: unknown) =>
  reportFailure(error, { write: () => true }, { json: false, debug: false });

test.each([
  ["ENOENT", "CLI_FILE_UNREADABLE", 3],
  ["EISDIR", "CLI_FILE_UNREADABLE", 3],
  ["EACCES", "CLI_FILE_DENIED", 8],
  ["EPERM", "CLI_FILE_DENIED", 8],
])("a file that cannot be read because of %s is %s, exit code %i", (reason, code, exitCode) => {
  const error = unreadableFile("/etc/tablekeep.json", systemError(reason), "--config");
  expect(error).toMatchObject({ code, details: { path: "/etc/tablekeep.json", what: "--config" } });
  expect(exitCodeOf(error)).toBe(exitCode);
});

test.each([
  ["ENOSPC", "CLI_OUTPUT_FAILED", 7],
  ["EEXIST", "CLI_OUTPUT_FAILED", 7],
  ["EACCES", "CLI_FILE_DENIED", 8],
  ["EPERM", "CLI_FILE_DENIED", 8],
])("a file that cannot be written because of %s is %s, exit code %i", (reason, code, exitCode) => {
  const error = unwritableFile("/etc/events.ndjson", systemError(reason));
  expect(error).toMatchObject({ code, details: { path: "/etc/events.ndjson" } });
  expect(exitCodeOf(error)).toBe(exitCode);
});
