/**
 * The journal itself, on the embedded engine, under random faults.
 *
 *   npm run build && node simulation/journal.mjs [--seeds=200] [--seed=1] [--layout=packed|bucketed|linear|scattered] [--strict]
 *     [--plant=NAME] [--verbose]
 *
 * Every seed is one run: writers, callers without a writer, readers and deleters of a few ids, removal of expired data, in the packed layout also compactions and loads of snapshots, processes that crash, answers that are lost or late,
 * throttling, hours that pass. All reported results are checked by the rules J1 to J10. It prints the seeds that fail,
 * each with its fault schedule, and exits with 1. A seed repeats the same run. `--plant` plants a mistake that it must
 * find, one of journal/planted.mjs.
 */
import { parseArgs } from "node:util";
import { runSeed } from "./journal/run-seed.mjs";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    layout: { type: "string" },
    strict: { type: "boolean" },
    plant: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});
let count = Number(values.seeds);
const failed = [];
let requests = 0;
for (let seed = Number(values.seed); seed < Number(values.seed) + count; seed++) {
  const story = await runSeed(seed, values);
  requests += story.requests;
  if (values.verbose) for (const line of story.trace) console.log(line);
  if (story.violations.length === 0) continue;
  failed.push(seed);
  if (values.plant !== undefined) count = 0;
  console.log(`seed ${seed} (${story.journal}): ${story.schedule}`);
  for (const violation of story.violations.slice(0, values.plant ? 1 : 10)) console.log(`  ${violation}`);
}
console.log(
  `${count} seeds, ${requests} requests, ${failed.length} failed${failed.length > 0 ? `: ${failed.join(" ")}` : ""}`,
);
process.exitCode = failed.length > 0 ? 1 : 0;
