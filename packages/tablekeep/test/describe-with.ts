import { spawnSync } from "node:child_process";
import { describe } from "vitest";

const isCi = !["", "0", "false"].includes(process.env["CI"] ?? "");

/**
 * Tests that need an external program. If it is missing, `npm test` reports that in its last lines; with CI set the tests
 * run and fail.
 */
export function describeWith(command: string, versionFlag: string, tests: () => void): void {
  const isPresent = spawnSync(command, [versionFlag]).error === undefined;
  describe.skipIf(!isPresent && !isCi)(command, tests);
}
