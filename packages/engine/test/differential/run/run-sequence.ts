import { hasBothFaults } from "../faults/has-both-faults.ts";
import { hasUsedToken } from "../faults/used-token.ts";
import { onlyTakesAway } from "../gaps/updates.ts";
import type { Step } from "../step.ts";
import { attemptsOn } from "./attempts.ts";
import { type Comparison, compare } from "./compare.ts";
import type { Lane } from "./lane.ts";
import { outcomeOf } from "./outcome.ts";
import { resync } from "./resync.ts";

/** The first step that the backends answered differently, with what they answered. */
export interface Difference extends Comparison {
  readonly at: number;
  readonly step: Step;
}

const severalFaults = "tells another of several faults";

/** Runs a sequence on both backends, from empty tables. Known gaps are counted. */
export async function runSequence(
  lane: Lane,
  steps: readonly Step[],
  gapCounts: Map<string, number>,
): Promise<Difference | undefined> {
  const engine = await lane.begin();
  try {
    const before: Step[] = [];
    for (const [at, plan] of [...steps, ...lane.finalReads].entries()) {
      const step = lane.ownToken(plan);
      const engineOutcome = await outcomeOf(engine, step);
      const localOutcome = await outcomeOf(lane.local, step);
      const comparison = compare(step, engineOutcome, localOutcome);
      for (const gap of comparison.gaps) gapCounts.set(gap, (gapCounts.get(gap) ?? 0) + 1);
      if (!comparison.same) {
        const outcomes = { engine: engineOutcome, local: localOutcome };
        const attempts = await attemptsOn(lane, engine);
        const explained =
          (await hasUsedToken(step, outcomes, before, attempts)) ||
          (await hasBothFaults(step, outcomes, attempts));
        if (!explained) return { at, step, ...comparison };
        gapCounts.set(severalFaults, (gapCounts.get(severalFaults) ?? 0) + 1);
      }
      const onlyOneRefused = engineOutcome.kind !== localOutcome.kind;
      if (onlyOneRefused && step.input["ClientRequestToken"] !== undefined) lane.forgetTokens();
      if (mayDiffer(step, onlyOneRefused)) await resync(step, lane.tables, engine, lane.local);
      before.push(step);
    }
    return undefined;
  } finally {
    await engine.close();
  }
}

const writes: ReadonlySet<string> = new Set([
  "PutItem",
  "UpdateItem",
  "DeleteItem",
  "BatchWriteItem",
  "TransactWriteItems",
]);

/** Whether a known gap may have left the items different: one side refused, or Local created an item of its key alone. */
function mayDiffer(step: Step, onlyOneRefused: boolean): boolean {
  if (!writes.has(step.operation)) return false;
  return onlyOneRefused || onlyTakesAway({ step }) || step.input["AttributeUpdates"] !== undefined;
}
