import type { CancellationReason } from "@tablekeep/core";
import { meansTheSame } from "../gaps/other-words.ts";
import { compare } from "../run/compare.ts";
import { normalText } from "../run/normal.ts";
import type { Outcome, Refusal } from "../run/outcome.ts";
import type { Step } from "../step.ts";
import { type Attempts, hasBothFaults, type Outcomes } from "./has-both-faults.ts";

/**
 * Whether a transaction that both refuse is cancelled by the engine for exactly the reasons that its actions have when each
 * is a transaction of its own, as both backends see them, and Local reports one of these. DynamoDB gives a reason for every
 * action; Local ends at the first fault that it finds, and looks at updates, conditions and index keys in an order of its own.
 */
export async function actionByAction(step: Step, outcomes: Outcomes, attempts: Attempts): Promise<boolean> {
  const { engine, local } = outcomes;
  if (
    !/^Transact(Write|Get)Items$/.test(step.operation) ||
    engine.kind !== "refused" ||
    local.kind !== "refused"
  )
    return false;
  const actions = step.input["TransactItems"];
  const reasons = reasonsIn(engine.refusal);
  if (!Array.isArray(actions) || reasons.length !== actions.length) return false;
  const reported: string[] = [];
  for (const [at, action] of actions.entries()) {
    const { ReturnConsumedCapacity: _, ...rest } = step.input;
    const alone: Step = { ...step, input: { ...rest, TransactItems: [action] } };
    const both = { engine: await attempts.engine(alone), local: await attempts.local(alone) };
    const agreed =
      compare(alone, both.engine, both.local).same || (await hasBothFaults(alone, both, attempts));
    if (!agreed || normalText(reasonOf(both.engine)) !== normalText(reasons[at])) return false;
    reported.push(...messagesOf(both.local));
  }
  return messagesOf(local).every((message) => reported.some((each) => meansTheSame(message, each)));
}

function reasonsIn(refusal: Refusal): readonly CancellationReason[] {
  return (refusal.reasons ?? []) as readonly CancellationReason[];
}

function reasonOf(outcome: Outcome): CancellationReason | undefined {
  return outcome.kind === "refused" ? reasonsIn(outcome.refusal)[0] : { Code: "None" };
}

/** The faults that an outcome reports, in words. */
function messagesOf(outcome: Outcome): string[] {
  if (outcome.kind !== "refused") return [];
  const reasons = reasonsIn(outcome.refusal).flatMap(({ Code, Message }) =>
    Code === "None" ? [] : [Message ?? ""],
  );
  return reasons.length > 0 ? reasons : [outcome.refusal.message];
}
