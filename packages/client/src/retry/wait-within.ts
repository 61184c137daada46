import { type CallOptions, type Clock, withDeadline } from "@tablekeep/core";
import { ClientError } from "../client-error.ts";
import { abortedBy } from "./deadline.ts";

/** What ends a wait. */
export interface WaitLimits extends Pick<CallOptions, "signal" | "deadlineMs"> {
  readonly clock: Clock;
}

/**
 * Waits for `work` that other callers may share, and settles as it does. Rejects as soon as the deadline of this call has
 * passed or its signal is aborted; the work goes on.
 */
export async function waitWithin<Value>(
  { clock, signal, deadlineMs }: WaitLimits,
  work: Promise<Value>,
): Promise<Value> {
  // If the wait ends early, nobody else may handle the failure of the work.
  work.catch(() => undefined);
  return withDeadline(() => work, {
    clock,
    ms: deadlineMs,
    signal,
    timedOut,
    aborted: (by) => abortedBy(by),
  });

  function timedOut(): ClientError<"CLIENT_DEADLINE_EXCEEDED"> {
    const leftMs = deadlineMs ?? 0;
    const message = `deadline exceeded (${Math.round(leftMs)} ms were left when the wait began)`;
    return new ClientError("CLIENT_DEADLINE_EXCEEDED", message, { deadlineMs: leftMs, attempts: 0 });
  }
}
