import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A folder that is not there yet, and is gone after the tests of the file. */
export function tempFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), "tablekeep-test-"));
  afterAll(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, "data");
}
