import type { Gap } from "../gaps/gap.ts";
import { knownGaps } from "../gaps/known-gaps.ts";
import type { Step } from "../step.ts";
import { comparable } from "./comparable.ts";
import type { Change } from "./items.ts";
import type { Outcome } from "./outcome.ts";

/** The result of a comparison: equal, equal except for known gaps, or different. */
export interface Comparison {
  readonly same: boolean;
  /** The known gaps in Local's outcome. */
  readonly gaps: readonly string[];
  readonly engine: unknown;
  /** Local's outcome, corrected. */
  readonly local: unknown;
}

/** Compares the outcomes of a step. Gaps are corrected one by one, and only as long as there is a difference. */
export function compare(
  step: Step,
  engine: Outcome,
  local: Outcome,
  changes: readonly Change[] = [],
  known: readonly Gap[] = knownGaps,
): Comparison {
  const gaps: string[] = [];
  let corrected = local;
  let [ours, theirs] = sides(step, engine, corrected);
  for (const gap of known) {
    if (engine.kind === "crashed" || areEqual(ours, theirs)) break;
    const next = gap.correct({ step, engine, local: corrected, changes });
    if (next === corrected) continue;
    gaps.push(gap.name);
    corrected = next;
    [ours, theirs] = sides(step, engine, corrected);
  }
  return { same: engine.kind !== "crashed" && areEqual(ours, theirs), gaps, engine: ours, local: theirs };
}

function sides(step: Step, engine: Outcome, local: Outcome): [unknown, unknown] {
  return [comparable(step, engine, local), comparable(step, local, engine)];
}

function areEqual(one: unknown, two: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}
