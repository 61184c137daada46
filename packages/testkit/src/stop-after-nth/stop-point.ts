import type { OperationName } from "@tablekeep/core";

/** How far request number `n` came when everything stopped. */
export type StopVariant =
  /** It was never sent. */
  | "not-sent"
  /** It was applied, and nobody heard the answer. */
  | "answer-lost";

/** Where a scenario is stopped. */
export interface StopPoint {
  /** The number of the request, from 1. */
  readonly n: number;
  readonly variant: StopVariant;
}

/** Where a scenario was stopped, and what it was about to do. */
export interface ReachedStop extends StopPoint {
  readonly operation: OperationName;
  readonly tables: readonly string[];
}

/** For people: `request 3 (PutItem on carts), answer-lost`. */
export function describeStop(stop: ReachedStop): string {
  const on = stop.tables.length > 0 ? ` on ${stop.tables.join(", ")}` : "";
  return `request ${stop.n} (${stop.operation}${on}), ${stop.variant}`;
}
