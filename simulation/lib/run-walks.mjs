import { parseArgs } from "node:util";

/**
 * Runs the walks of a model as its command line asks, `--walks`, `--seed` and `--fault`, and prints the result. Exits with 1 after a violation, with
 * its trace, and with 2 for a fault that the model does not have. `summaryOf` adds words on the results of all walks.
 */
export function runWalks({ walk, known, summaryOf = () => "" }) {
  const { values } = parseArgs({
    options: {
      walks: { type: "string", default: "2000" },
      seed: { type: "string", default: "1" },
      fault: { type: "string" },
    },
  });
  const { walks, fault } = values;
  if (fault !== undefined && !known.includes(fault)) {
    console.error(`there is no fault ${fault}; there are ${known.join(", ")}`);
    process.exit(2);
  }
  const words = fault === undefined ? "" : `, planted: ${fault}`;
  const results = [];
  for (let count = 0; count < Number(walks); count++) {
    const seed = Number(values.seed) + count;
    const { message, trace, ...result } = walk(seed, { fault });
    results.push(result);
    if (message === undefined) continue;
    console.log(`seed ${seed}, walk ${count + 1}${words}: ${message}`);
    for (const line of trace.slice(-60)) console.log(`  ${line}`);
    process.exit(1);
  }
  console.log(`${walks} walks, no violation${summaryOf(results)}${words}`);
}
