/**
 * Shadows, on the embedded engine, under random faults.
 *
 *   npm run build && node simulation/shadow.mjs [--seeds=200] [--seed=1] [--operations=500] [--clients=8] [--plant=NAME]
 *
 * Every seed is a story: clients that read, write and delete a few shadows, by the store and by the manager, in both models,
 * while answers are lost or late and requests are throttled. All reported results are checked by the rules L1 to L6. It prints
 * the seeds that fail, each with its fault schedule, and exits with 1. A seed repeats the same run. `--plant` plants a
 * mistake that it must find, one of shadow/planted.mjs.
 */
import { parseArgs } from "node:util";
import { runSeed } from "./shadow/run-seed.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    operations: { type: "string", default: "500" },
    clients: { type: "string", default: "8" },
    plant: { type: "string" },
  },
});
const first = Number(values.seed);
const failed = [];
let [requests, told] = [0, 0];
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const story = await runSeed(seed, {
    operations: Number(values.operations),
    clients: Number(values.clients),
    plant: values.plant,
  });
  requests += story.requests;
  told += story.ok;
  if (story.violations.length === 0) continue;
  failed.push(seed);
  console.log(`seed ${seed} (${story.store}): ${story.schedule}`);
  for (const violation of story.violations.slice(0, 10)) console.log(`  ${violation}`);
  if (values.plant !== undefined) break;
}
console.log(
  `${values.seeds} seeds, ${requests} requests, ${told} operations ok, ${failed.length} failed${failed.length > 0 ? `: ${failed.join(" ")}` : ""}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
