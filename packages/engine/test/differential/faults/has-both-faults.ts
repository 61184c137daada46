import type { CancellationReason } from "@tablekeep/core";
import { meansTheSame } from "../gaps/other-words.ts";
import { compare } from "../run/compare.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Step } from "../step.ts";
import { repairs } from "./repairs.ts";

/** What the engine and DynamoDB Local make of a step. */
export interface Outcomes {
  readonly engine: Outcome;
  readonly local: Outcome;
}

/** Tries steps on one of the two, which is in the same state before and after. */
export type Attempts = { readonly [Side in keyof Outcomes]: (step: Step) => Promise<Outcome> };

/** So many repaired requests are repaired further, until one has a single fault left. */
const maxRequests = 12;

/**
 * Whether a request that both refuse for different faults has both of them. It has, if both tell the engine's fault of
 * the request with some other things repaired, and both tell Local's with others repaired: then they only look for
 * faults in another order, and AWS documents none.
 */
export async function hasBothFaults(step: Step, outcomes: Outcomes, attempts: Attempts): Promise<boolean> {
  if (outcomes.engine.kind !== "refused" || outcomes.local.kind !== "refused") return false;
  return (
    (await bothTellTheFaultOf("engine", step, outcomes, attempts)) &&
    (await bothTellTheFaultOf("local", step, outcomes, attempts))
  );
}

async function bothTellTheFaultOf(
  side: keyof Outcomes,
  step: Step,
  outcomes: Outcomes,
  attempts: Attempts,
): Promise<boolean> {
  const fault = faultsTold(outcomes[side]);
  const other = side === "engine" ? "local" : "engine";
  const toldByOther = new Set([faultsTold(outcomes[other]).join()]);
  const requests = [step];
  for (const request of requests) {
    let smallest = request;
    for await (const { repaired, engine } of likelyFirst(request, fault, attempts)) {
      if (side === "engine" && !isPartOf(faultsTold(engine), fault)) continue;
      const found = { engine, local: await attempts.local(repaired) };
      if (!isPartOf(faultsTold(found[side]), fault)) continue;
      if (compare(repaired, found.engine, found.local).same) return true;
      const told = faultsTold(found[other]).join();
      if (!toldByOther.has(told) && requests.length < maxRequests) requests.push(repaired);
      else if (sizeOf(repaired) < sizeOf(smallest)) smallest = repaired;
      toldByOther.add(told);
    }
    // Two faults may be told in the same words: with one of them gone, the request is only smaller.
    if (smallest !== request && requests.length < maxRequests) requests.push(smallest);
  }
  return false;
}

interface Tried {
  readonly repaired: Step;
  readonly engine: Outcome;
}

/**
 * All repairs that the engine, which is quick to ask, still refuses; first those of which it tells this fault. Of a query or
 * a scan also those that it accepts: Local may refuse them for a known gap.
 */
async function* likelyFirst(
  request: Step,
  fault: readonly string[],
  { engine: ask }: Attempts,
): AsyncGenerator<Tried> {
  const others: Tried[] = [];
  for (const input of repairs(request.input)) {
    const repaired = { ...request, input };
    const engine = await ask(repaired);
    const told = faultsTold(engine);
    if (told.some((each) => fault.some((one) => meansTheSame(one, each)))) yield { repaired, engine };
    else if (told.length > 0 || /^(Query|Scan)$/.test(request.operation)) others.push({ repaired, engine });
  }
  yield* others;
}

function sizeOf({ input }: Step): number {
  return JSON.stringify(input).length;
}

/** The faults that an outcome tells: one, but for a transaction, in which each action may have one. */
function faultsTold(outcome: Outcome): readonly string[] {
  if (outcome.kind !== "refused") return [];
  const reasons = (outcome.refusal.reasons ?? []) as readonly CancellationReason[];
  const told = reasons.flatMap(({ Code, Message }) => (Code === "None" ? [] : [Message ?? Code ?? ""]));
  return (told.length > 0 ? told : [outcome.refusal.message]).map(ofAnyEmptiness);
}

function isPartOf(faults: readonly string[], all: readonly string[]): boolean {
  return faults.length > 0 && faults.every((fault) => all.includes(fault));
}

/** An empty value of the wrong type has two faults, and only one of the right type has the one: of another type, then. */
function ofAnyEmptiness(message: string): string {
  return message.replace(/empty (string|binary) value/, "empty value");
}
