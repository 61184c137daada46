/**
 * An executable model of the feed: how the changes that a stream shows become positions, and how projections follow them.
 *
 *   node simulation/feed.mjs [--walks=2000] [--seed=1] [--fault=NAME]
 *
 * Ids get events by writes of one item, of several and by staged ones; they are compacted, deleted from and purged, and begin again. A stream shows
 * the changes in any order that it may, by shards that split. Two sequencers and two runners of a projection compete without a lease; each
 * may crash between any two requests, rest, and lose answers. Every write must be in the feed exactly once, those of an id in order unless they are
 * flagged as late, positions without a hole, and the state of a projection is the fold of the events up to its position. `--fault` plants
 * a mistake that it must find: see feed/faults.mjs. Change the protocol here first, then in packages/feed.
 */
import { parseArgs } from "node:util";
import { faults, harmless } from "./feed/faults.mjs";
import { walk } from "./feed/walk.mjs";

const { values } = parseArgs({
  options: {
    walks: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    fault: { type: "string" },
  },
});
const known = Object.keys({ ...faults, ...harmless });
if (values.fault !== undefined && !known.includes(values.fault)) {
  console.error(`there is no fault ${values.fault}; there are ${known.join(", ")}`);
  process.exit(2);
}
const words = values.fault === undefined ? "" : `, planted: ${values.fault}`;
let late = 0;
for (let count = 0; count < Number(values.walks); count++) {
  const seed = Number(values.seed) + count;
  const result = walk(seed, { fault: values.fault });
  late += result.late ?? 0;
  if (result.message === undefined) continue;
  console.log(`seed ${seed}, walk ${count + 1}${words}: ${result.message}`);
  for (const line of result.trace.slice(-60)) console.log(`  ${line}`);
  process.exit(1);
}
console.log(`${values.walks} walks, no violation, ${late} late${words}`);
