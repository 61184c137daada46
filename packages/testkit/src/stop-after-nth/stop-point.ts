import type { OperationName } from "@tablekeep/core";

/** On which side of request number `n` everything stops. */
export type StopVariant =
  /** It is not sent. */
  | "before"
  /** It is applied, and its answer does not arrive. */
  | "after";

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

/** For people: `before request 3 (PutItem on carts)`. */
export function describeStop(stop: ReachedStop): string {
  const on = stop.tables.length > 0 ? ` on ${stop.tables.join(", ")}` : "";
  const request = `request ${stop.n} (${stop.operation}${on})`;
  return stop.variant === "before" ? `before ${request}` : `after ${request} was applied`;
}
