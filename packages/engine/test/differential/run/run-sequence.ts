import type { Engine } from "@tablekeep/engine";
import { type Attempts, hasBothFaults, type Outcomes } from "../faults/both-faults.ts";
import { hasUsedToken, matchesSingleActions } from "../faults/transaction-faults.ts";
import { equivalents, rewrittenForLocal } from "../gaps/equivalents.ts";
import { keyAlone, stepOnlyRemoves } from "../gaps/updates.ts";
import type { Step } from "../step.ts";
import { attemptsOn } from "./attempts.ts";
import { type Comparison, compare } from "./compare.ts";
import { type Change, copyItem, namedItems, readItem, sameItems } from "./items.ts";
import type { Lane } from "./lane.ts";
import { type Answer, outcomeOf } from "./outcome.ts";

/** The first step with different outcomes, and these outcomes. */
export interface Difference extends Omit<Comparison, "same" | "gaps"> {
  readonly at: number;
  readonly step: Step;
}

/** Counts the steps that ran, and how often each known gap of DynamoDB Local occurred. */
export interface GapCounts {
  steps: number;
  readonly gaps: Map<string, number>;
}

/** Runs a sequence on both backends, from empty tables. Returns the first difference that no known gap explains. */
export async function runSequence(
  lane: Lane,
  steps: readonly Step[],
  counts: GapCounts,
): Promise<Difference | undefined> {
  const engine = await lane.begin();
  const met = (gap: string) => counts.gaps.set(gap, (counts.gaps.get(gap) ?? 0) + 1);
  try {
    const before: Step[] = [];
    for (const [at, plan] of [...steps, ...lane.finalReads].entries()) {
      const step = lane.ownToken(plan);
      if (step.planted !== undefined && (await isRejected(engine, step.planted.base))) continue;
      counts.steps++;
      const difference = await runStep({ lane, engine, step, before, met });
      if (difference !== undefined) return { at, step, ...difference };
      before.push(step);
    }
    return undefined;
  } finally {
    await engine.close();
  }
}

/** Returns whether a request has a fault already: no second one is planted in it. Does not change the engine. */
async function isRejected(engine: Engine, step: Step): Promise<boolean> {
  const now = await engine.checkpoint();
  const { kind } = await outcomeOf(engine, step);
  await engine.restore(now);
  return kind === "rejected";
}

interface StepRun {
  readonly lane: Lane;
  readonly engine: Engine;
  readonly step: Step;
  /** The steps that ran before this one. */
  readonly before: readonly Step[];
  readonly met: (gap: string) => void;
}

async function runStep(run: StepRun): Promise<Omit<Difference, "at" | "step"> | undefined> {
  const { lane, engine, step, met } = run;
  const named = namedItems(step, lane.tables);
  const old = await Promise.all(named.map((each) => readItem(engine, each)));
  const rewritten = rewrittenForLocal(step);
  for (const gap of rewritten.gaps) met(gap);
  const outcomes = {
    engine: await outcomeOf(engine, step),
    local: await outcomeOf(lane.local, rewritten.step),
  };
  const changes: Change[] = [];
  for (const [index, each] of named.entries())
    changes.push({ ...each, before: old[index], after: await readItem(engine, each) });
  const comparison = compare(step, outcomes.engine, outcomes.local, changes);
  for (const gap of comparison.gaps) met(gap);
  if (!comparison.same) {
    const explanation = await explain(run, outcomes, changes);
    if (explanation === undefined) return comparison;
    met(explanation);
  }
  const kinds = [outcomes.engine.kind, outcomes.local.kind];
  if (kinds[0] !== kinds[1] && step.input["ClientRequestToken"] !== undefined) lane.forgetTokens();
  // Local carried out what DynamoDB rejects: a gap that just occurred.
  if (kinds[0] === "rejected" && kinds[1] === "answers")
    for (const each of changes) await copyItem(each, engine, lane.local);
  else if (kinds[0] !== kinds[1] || mayHide(step)) return hiddenDifference(run, changes);
  return undefined;
}

/** Returns why backends that answer a step differently are both right; undefined if nothing explains it. */
async function explain(
  { lane, engine, step, before }: StepRun,
  outcomes: Outcomes,
  changes: readonly Change[],
): Promise<string | undefined> {
  if (outcomes.engine.kind === "answers" && outcomes.local.kind === "rejected") {
    const { message } = outcomes.local.rejection;
    for (const { name, step: other, withoutCapacity } of equivalents(step, message, changes)) {
      const local = await outcomeOf(lane.local, other);
      const answers = withoutCapacity ? outcomes.engine.answers.map(uncharged) : outcomes.engine.answers;
      if (compare(step, { kind: "answers", answers }, local, changes).same) return name;
      if (local.kind === "answers") return undefined;
    }
  }
  const attempts: Attempts = await attemptsOn(lane, engine);
  if (await matchesSingleActions(step, outcomes, attempts))
    return "reports one of several faults of a transaction";
  if (await hasUsedToken(step, outcomes, before, attempts)) return "reports a fault instead of a used token";
  return (await hasBothFaults(step, outcomes, attempts)) ? "reports another of several faults" : undefined;
}

function uncharged({ ConsumedCapacity: _, ...answer }: Answer): Answer {
  return answer;
}

/** Returns whether a step may have left items that its answer does not show. Everything else shows in later reads. */
function mayHide(step: Step): boolean {
  return stepOnlyRemoves({ step }) || step.input["AttributeUpdates"] !== undefined;
}

/** Compares the items that a step names. An item of the key alone is a gap of Local, and is removed. */
async function hiddenDifference(
  { lane, met }: StepRun,
  changes: readonly Change[],
): Promise<Omit<Difference, "at" | "step"> | undefined> {
  for (const each of changes) {
    const local = await readItem(lane.local, each);
    if (sameItems(local, each.after)) continue;
    const created = each.before === undefined && each.after === undefined;
    if (!created || !sameItems(local, each.key)) return { engine: each.after, local };
    met(keyAlone.name);
    await lane.local.deleteItem({ TableName: each.table.name, Key: each.key });
  }
  return undefined;
}
