import type { CancellationReason } from "@tablekeep/core";
import { gapsOfOneFault } from "../gaps/known-gaps.ts";
import { compare } from "../run/compare.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Step } from "../step.ts";
import { repairs } from "./repairs.ts";

/** What the engine and DynamoDB Local make of a step. */
export interface Outcomes {
  readonly engine: Outcome;
  readonly local: Outcome;
}

type Side = keyof Outcomes;

/** So many repaired requests are repaired further, until one has a single fault left. */
const maxRequests = 12;

/**
 * Whether a request that both refuse for different faults has both of them. It has, if both tell the engine's fault of
 * the request with some other things repaired, and both tell Local's with others repaired: then they only look for
 * faults in another order, and AWS documents none.
 */
export async function hasBothFaults(
  step: Step,
  outcomes: Outcomes,
  attempt: (step: Step) => Promise<Outcomes>,
): Promise<boolean> {
  if (outcomes.engine.kind !== "refused" || outcomes.local.kind !== "refused") return false;
  return (
    (await bothTellTheFaultOf("engine", step, outcomes, attempt)) &&
    (await bothTellTheFaultOf("local", step, outcomes, attempt))
  );
}

async function bothTellTheFaultOf(
  side: Side,
  step: Step,
  outcomes: Outcomes,
  attempt: (step: Step) => Promise<Outcomes>,
): Promise<boolean> {
  const fault = faultsTold(outcomes[side]);
  const other = side === "engine" ? "local" : "engine";
  const toldByOther = new Set([faultsTold(outcomes[other]).join()]);
  const requests = [step];
  for (const request of requests) {
    let smallest = request;
    for (const input of repairs(request.input)) {
      const repaired = { ...request, input };
      const found = await attempt(repaired);
      if (!isPartOf(faultsTold(found[side]), fault)) continue;
      if (compare(repaired, found.engine, found.local, gapsOfOneFault).same) return true;
      const told = faultsTold(found[other]).join();
      if (told === "") continue;
      if (!toldByOther.has(told) && requests.length < maxRequests) requests.push(repaired);
      else if (sizeOf(repaired) < sizeOf(smallest)) smallest = repaired;
      toldByOther.add(told);
    }
    // Two faults may be told in the same words: with one of them gone, the request is only smaller.
    if (smallest !== request && requests.length < maxRequests) requests.push(smallest);
  }
  return false;
}

function sizeOf({ input }: Step): number {
  return JSON.stringify(input).length;
}

/** The faults that an outcome tells: one, but for a transaction, in which each action may have one. */
function faultsTold(outcome: Outcome): readonly string[] {
  if (outcome.kind !== "refused") return [];
  const reasons = (outcome.refusal.reasons ?? []) as readonly CancellationReason[];
  const told = reasons.flatMap(({ Code, Message }) => (Code === "None" ? [] : [`${Code}: ${Message}`]));
  return (told.length > 0 ? told : [outcome.refusal.message]).map(ofAnyEmptiness);
}

function isPartOf(faults: readonly string[], all: readonly string[]): boolean {
  return faults.length > 0 && faults.every((fault) => all.includes(fault));
}

/** An empty value of the wrong type has two faults, and only one of the right type has the one: of another type, then. */
function ofAnyEmptiness(message: string): string {
  return message.replace(/empty (string|binary) value/, "empty value");
}
