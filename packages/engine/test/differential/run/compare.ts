import { knownGaps } from "../gaps/known-gaps.ts";
import type { Step } from "../step.ts";
import { comparable } from "./comparable.ts";
import type { Outcome } from "./outcome.ts";

/** What became of a comparison: equal, equal but for known gaps, or different. */
export interface Comparison {
  readonly same: boolean;
  /** The known gaps that Local's outcome had. */
  readonly gaps: readonly string[];
  readonly engine: unknown;
  /** Local's outcome, mended. */
  readonly local: unknown;
}

/** Compares what the backends made of a step. Gaps are mended one by one, and only as long as there is a difference. */
export function compare(step: Step, engine: Outcome, local: Outcome): Comparison {
  const wanted = comparable(step, engine);
  const wantedText = JSON.stringify(wanted);
  const gaps: string[] = [];
  let mended = local;
  let found = comparable(step, mended);
  for (const gap of knownGaps) {
    if (engine.kind !== "crashed" && JSON.stringify(found) === wantedText) break;
    const next = gap.mend({ step, engine, local: mended });
    if (next === mended) continue;
    gaps.push(gap.name);
    mended = next;
    found = comparable(step, mended);
  }
  return {
    same: engine.kind !== "crashed" && JSON.stringify(found) === wantedText,
    gaps,
    engine: wanted,
    local: found,
  };
}
