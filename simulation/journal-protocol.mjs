/**
 * An executable model of how a journal writes, reads and deletes (layouts bucketed and packed), to be broken on purpose.
 *
 *   node simulation/journal-protocol.mjs [--walks=20000] [--seed=1] [--strict] [--shared] [--read-ahead] [--one-by-one] [--original] [--purge] [--fault=NAME]
 *   node simulation/journal-protocol.mjs --packed [--walks=20000] [--seed=1] [--strict] [--one-by-one] [--purge] [--fault=NAME]
 *
 * Two writers and a reader work on one id. A seeded scheduler decides whose request is next, loses answers, lets requests
 * land late, pauses and crashes writers and lets days go by. It prints the first violation with what led to it and exits
 * with 1, or says how many walks found none. `--fault` plants a mistake that it must find: see `faults` in
 * journal-protocol/faults.mjs. `--read-ahead`: the reader asks for the first rows along with the marks. `--one-by-one`: the items of a
 * transaction become visible to plain reads one after the other, in any order. `--shared`: the original may take the id over at any
 * moment, so that deletes remove rows instead of leaving tombstones. `--original`: the
 * id begins with what the original left of it, half batches too. `--purge`: the writers are entities with snapshots, and an operator stops
 * them, forgets the entity, purges its journal or restores it without the snapshots, and starts them again. `--packed`: the
 * packed layout, where items hold several events, and are compacted beside the writers; also with appends without a writer. Its faults are in
 * journal-protocol/packed/faults.mjs. Change the protocol here first, then in packages/journal.
 */
import { parseArgs } from "node:util";
import {
  faults,
  harmless,
  holeFaults,
  originalFaults,
  purgeFaults,
  sharedFaults,
} from "./journal-protocol/faults.mjs";
import { packedFaults, packedHarmless, packedPurgeFaults } from "./journal-protocol/packed/faults.mjs";
import { walkPacked } from "./journal-protocol/packed/walk.mjs";
import { walk } from "./journal-protocol/walk.mjs";

const { values } = parseArgs({
  options: {
    walks: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    strict: { type: "boolean", default: false },
    shared: { type: "boolean", default: false },
    "read-ahead": { type: "boolean", default: false },
    "one-by-one": { type: "boolean", default: false },
    original: { type: "boolean", default: false },
    purge: { type: "boolean", default: false },
    packed: { type: "boolean", default: false },
    fault: { type: "string" },
  },
});
const known = Object.keys(
  values.packed
    ? { ...packedFaults, ...packedPurgeFaults, ...packedHarmless }
    : { ...faults, ...originalFaults, ...holeFaults, ...sharedFaults, ...purgeFaults, ...harmless },
);
if (values.fault !== undefined && !known.includes(values.fault)) {
  console.error(`there is no fault ${values.fault}; there are ${known.join(", ")}`);
  process.exit(2);
}
const {
  packed,
  strict,
  shared,
  original,
  purge,
  fault,
  "read-ahead": readAhead,
  "one-by-one": oneByOne,
} = values;
const walks = Number(values.walks);
const words = `${packed ? ", packed" : ""}${purge ? ", purge" : ""}${oneByOne ? ", one by one" : ""}${values.strict ? ", strict" : ""}${values.shared ? ", shared" : ""}${values.fault ? `, planted: ${values.fault}` : ""}`;
for (let count = 0; count < walks; count++) {
  const seed = Number(values.seed) + count;
  const walkOnce = packed ? walkPacked : walk;
  const violation = walkOnce(seed, { strict, shared, original, purge, fault, readAhead, oneByOne });
  if (violation === undefined) continue;
  console.log(`seed ${seed}, walk ${count + 1}${words}: ${violation.message}`);
  for (const line of violation.trace.slice(-60)) console.log(`  ${line}`);
  process.exit(1);
}
console.log(`${walks} walks, no violation${words}`);
