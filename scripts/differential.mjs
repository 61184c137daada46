/**
 * `npm run differential -- --sequences 5000 [--seed N]`: random sequences of 50 operations on the embedded engine and on
 * DynamoDB Local, compared step by step. Prints the seed, and how often each known gap of DynamoDB Local was met.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { javaVersion } from "./lib/dynamodb-local.mjs";
import { rootFolder } from "./lib/run-command.mjs";

const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "5000" },
    seed: { type: "string", default: String(randomInt(2 ** 31 - 1)) },
  },
});
const sequences = wholeNumber("--sequences", values.sequences);
const seed = wholeNumber("--seed", values.seed);
if (javaVersion() < 17) throw new Error("DynamoDB Local needs Java 17: install it, and run this again");

console.log(`${sequences} sequences of 50 operations, seed ${seed}`);
const started = performance.now();
const vitest = spawn(
  join(rootFolder, "node_modules", ".bin", "vitest"),
  ["run", "packages/engine/test/differential", "--reporter=verbose"],
  {
    cwd: rootFolder,
    stdio: "inherit",
    env: {
      ...process.env,
      DIFFERENTIAL_SEQUENCES: String(sequences),
      DIFFERENTIAL_SEED: String(seed),
      DIFFERENTIAL_GAPS: "1",
    },
  },
);
const [exitCode] = await once(vitest, "exit");
const minutes = ((performance.now() - started) / 60_000).toFixed(1);
console.log(
  exitCode === 0
    ? `${sequences} sequences passed in ${minutes} minutes (seed ${seed})`
    : `failed after ${minutes} minutes: run again with --sequences ${sequences} --seed ${seed}`,
);
process.exitCode = exitCode ?? 1;

function wholeNumber(option, text) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new Error(`${option} must be a whole number of at least 1`);
  return number;
}
