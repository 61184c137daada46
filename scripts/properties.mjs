/**
 * `npm run properties -- --runs 10`: runs every property test with a new seed in each run. Prints the seeds; to
 * repeat a failure: `PROPERTY_SEED=N npx vitest run FILE`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rootFolder } from "./lib/run-command.mjs";

const { values } = parseArgs({ options: { runs: { type: "string", default: "10" } } });
const grep = ["grep", "-l", 'from "fast-check"', "--", "*.test.ts", ":!*.local.test.ts"];
const files = execFileSync("git", grep, { cwd: rootFolder, encoding: "utf8" }).trim().split("\n");

for (let run = 1; run <= Number(values.runs); run++) {
  const seed = randomInt(2 ** 31 - 1);
  const vitest = join(rootFolder, "node_modules", ".bin", "vitest");
  const { status, stderr } = spawnSync(vitest, ["run", "--reporter=dot", ...files], {
    cwd: rootFolder,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    env: { ...process.env, PROPERTY_SEED: String(seed), NO_COLOR: "1" },
  });
  console.log(`run ${run}, seed ${seed}: ${status === 0 ? "passed" : "FAILED"}`);
  if (status === 0) continue;
  console.log(stderr);
  process.exitCode = 1;
}
