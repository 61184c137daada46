import type { CancellationReason } from "@tablekeep/core";
import { isEquivalentMessage } from "../gaps/messages.ts";
import { normalText } from "../run/comparable.ts";
import { compare } from "../run/compare.ts";
import type { Outcome, Rejection } from "../run/outcome.ts";
import type { Step } from "../step.ts";
import { type Attempts, hasBothFaults, type Outcomes } from "./both-faults.ts";

/**
 * Returns whether both reject a transaction for faults that its actions have as separate transactions on both backends. The engine cancels it
 * for exactly these reasons, or rejects it as a whole, as DynamoDB does, for one of them; Local reports some of them. DynamoDB reports a
 * reason for every action; Local stops at the first fault that it finds, and checks updates, conditions and index keys in a different order.
 */
export async function matchesSingleActions(
  step: Step,
  outcomes: Outcomes,
  attempts: Attempts,
): Promise<boolean> {
  const { engine, local } = outcomes;
  if (
    !/^Transact(Write|Get)Items$/.test(step.operation) ||
    engine.kind !== "rejected" ||
    local.kind !== "rejected"
  )
    return false;
  const actions = step.input["TransactItems"];
  const reasons = reasonsIn(engine.rejection);
  const isWhole = reasons.length === 0;
  if (!Array.isArray(actions) || (isWhole ? actions.length === 1 : reasons.length !== actions.length))
    return false;
  const [byEngine, byLocal]: [string[], string[]] = [[], []];
  for (const [at, action] of actions.entries()) {
    const { ReturnConsumedCapacity: _, ...rest } = step.input;
    const alone: Step = { ...step, input: { ...rest, TransactItems: [action] } };
    const both = { engine: await attempts.engine(alone), local: await attempts.local(alone) };
    const agreed =
      compare(alone, both.engine, both.local).same || (await hasBothFaults(alone, both, attempts));
    if (!agreed) return false;
    if (!isWhole && normalText(reasonOf(both.engine)) !== normalText(reasons[at])) return false;
    if (both.engine.kind === "rejected" && reasonsIn(both.engine.rejection).length === 0)
      byEngine.push(both.engine.rejection.message);
    byLocal.push(...messagesOf(both.local));
  }
  if (isWhole && !byEngine.includes(engine.rejection.message)) return false;
  return messagesOf(local).every((message) => byLocal.some((each) => isEquivalentMessage(message, each)));
}

function reasonsIn(rejection: Rejection): readonly CancellationReason[] {
  return (rejection.reasons ?? []) as readonly CancellationReason[];
}

function reasonOf(outcome: Outcome): CancellationReason | undefined {
  return outcome.kind === "rejected" ? reasonsIn(outcome.rejection)[0] : { Code: "None" };
}

/** Returns the messages of the faults that an outcome reports. */
function messagesOf(outcome: Outcome): string[] {
  if (outcome.kind !== "rejected") return [];
  const reasons = reasonsIn(outcome.rejection).flatMap(({ Code, Message }) =>
    Code === "None" ? [] : [Message ?? ""],
  );
  return reasons.length > 0 ? reasons : [outcome.rejection.message];
}

/**
 * Returns whether one side reports that a token was used for another request, and the other a fault that both report
 * for the request without its token: it has both, and they are checked in a different order. `before` are the earlier
 * steps.
 */
export async function hasUsedToken(
  step: Step,
  outcomes: Outcomes,
  before: readonly Step[],
  attempts: Attempts,
): Promise<boolean> {
  const token = step.input["ClientRequestToken"];
  const others = [outcomes.engine, outcomes.local].filter((outcome) => !tellsMismatch(outcome));
  if (token === undefined || others.length !== 1 || others[0]?.kind !== "rejected") return false;
  if (!before.some(({ input }) => input["ClientRequestToken"] === token)) return false;
  // Attempts are made without the token.
  const without = { engine: await attempts.engine(step), local: await attempts.local(step) };
  if (without.engine.kind !== "rejected" || without.local.kind !== "rejected") return false;
  return compare(step, without.engine, without.local).same || (await hasBothFaults(step, without, attempts));
}

function tellsMismatch(outcome: Outcome): boolean {
  return (
    outcome.kind === "rejected" && outcome.rejection.exception === "IdempotentParameterMismatchException"
  );
}
