import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { getCurrentTest } from "vitest/suite";

/** A path for a folder that does not exist yet, and is removed after the test that asks for it, or after the tests of the file. */
export function tempFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), "tablekeep-test-"));
  const remove = () => rmSync(parent, { recursive: true, force: true });
  if (getCurrentTest() !== undefined) onTestFinished(remove);
  else afterAll(remove);
  return join(parent, "data");
}
