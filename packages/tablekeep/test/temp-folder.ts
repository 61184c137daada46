import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A path for a folder that does not exist yet, and is removed after the tests of the file. */
export function tempFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), "tablekeep-test-"));
  afterAll(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, "data");
}
