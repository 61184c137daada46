import { compare } from "../run/compare.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Step } from "../step.ts";
import { type Attempts, hasBothFaults, type Outcomes } from "./has-both-faults.ts";

/**
 * Whether one side tells that a token was used for another request, and the other a fault that both tell of the request
 * without its token: it has both, and they look for them in another order. `before` are the steps that came before it.
 */
export async function hasUsedToken(
  step: Step,
  outcomes: Outcomes,
  before: readonly Step[],
  attempts: Attempts,
): Promise<boolean> {
  const token = step.input["ClientRequestToken"];
  const others = [outcomes.engine, outcomes.local].filter((outcome) => !tellsMismatch(outcome));
  if (token === undefined || others.length !== 1 || others[0]?.kind !== "refused") return false;
  if (!before.some(({ input }) => input["ClientRequestToken"] === token)) return false;
  // Attempts are made without the token.
  const without = { engine: await attempts.engine(step), local: await attempts.local(step) };
  if (without.engine.kind !== "refused" || without.local.kind !== "refused") return false;
  return compare(step, without.engine, without.local).same || (await hasBothFaults(step, without, attempts));
}

function tellsMismatch(outcome: Outcome): boolean {
  return outcome.kind === "refused" && outcome.refusal.exception === "IdempotentParameterMismatchException";
}
