import type { CancellationReason } from "@tablekeep/core";
import { isEquivalentMessage } from "../gaps/messages.ts";
import { compare } from "../run/compare.ts";
import type { Outcome } from "../run/outcome.ts";
import type { Step } from "../step.ts";
import { repairs } from "./repairs.ts";

/** The outcomes of a step on the engine and on DynamoDB Local. */
export interface Outcomes {
  readonly engine: Outcome;
  readonly local: Outcome;
}

/** Tries steps on one of the two, without changing its state. */
export type Attempts = { readonly [Side in keyof Outcomes]: (step: Step) => Promise<Outcome> };

/** The most repaired requests that are repaired further, until one has a single fault left. */
const maxRequests = 24;

/**
 * Returns whether a request that both reject for different faults has both of them. It has if both report the
 * engine's fault for the request with some parts repaired, and both report Local's with others repaired: then they
 * only check in a different order, and AWS documents none.
 */
export async function hasBothFaults(step: Step, outcomes: Outcomes, attempts: Attempts): Promise<boolean> {
  if (outcomes.engine.kind !== "rejected" || outcomes.local.kind !== "rejected") return false;
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
  const fault = reportedFaults(outcomes[side]);
  const other = side === "engine" ? "local" : "engine";
  const reportedByOther = new Set([reportedFaults(outcomes[other]).join()]);
  const requests = [step];
  for (const request of requests) {
    let smallest = request;
    for await (const { repaired, engine } of likelyFirst(request, fault, attempts)) {
      if (side === "engine" && !isPartOf(reportedFaults(engine), fault)) continue;
      const found = { engine, local: await attempts.local(repaired) };
      if (!isPartOf(reportedFaults(found[side]), fault)) continue;
      if (compare(repaired, found.engine, found.local).same) return true;
      const reported = reportedFaults(found[other]).join();
      if (!reportedByOther.has(reported) && requests.length < maxRequests) requests.push(repaired);
      else if (sizeOf(repaired) < sizeOf(smallest)) smallest = repaired;
      reportedByOther.add(reported);
    }
    // Two faults may have the same message: without one of them, the request is only smaller.
    if (smallest !== request && requests.length < maxRequests) requests.push(smallest);
  }
  return false;
}

interface Tried {
  readonly repaired: Step;
  readonly engine: Outcome;
}

/**
 * Yields all repairs that the engine, which is fast, still rejects; first those with this fault. For a query or scan
 * also those that it accepts: Local may reject them because of a known gap.
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
    const reported = reportedFaults(engine);
    if (reported.some((each) => fault.some((one) => isEquivalentMessage(one, each))))
      yield { repaired, engine };
    else if (reported.length > 0 || /^(Query|Scan)$/.test(request.operation))
      others.push({ repaired, engine });
  }
  yield* others;
}

function sizeOf({ input }: Step): number {
  return JSON.stringify(input).length;
}

/** Returns the faults that an outcome reports: one, or for a transaction one per action. */
function reportedFaults(outcome: Outcome): readonly string[] {
  if (outcome.kind !== "rejected") return [];
  const reasons = (outcome.rejection.reasons ?? []) as readonly CancellationReason[];
  const reported = reasons.flatMap(({ Code, Message }) => (Code === "None" ? [] : [Message ?? Code ?? ""]));
  return (reported.length > 0 ? reported : [outcome.rejection.message]).map(ofAnyEmptiness);
}

function isPartOf(faults: readonly string[], all: readonly string[]): boolean {
  return faults.length > 0 && faults.every((fault) => all.includes(fault));
}

/**
 * An empty value of the wrong type has two faults; with the right type only one remains, so repairs use another type.
 */
function ofAnyEmptiness(message: string): string {
  return message.replace(/empty (string|binary) value/, "empty value");
}
