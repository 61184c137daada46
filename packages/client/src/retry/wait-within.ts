import type { CallOptions, Clock } from "@tablekeep/core";
import { ClientError } from "../client-error.ts";
import { abortedBy } from "./deadline.ts";

/** What ends a wait. */
export interface WaitLimits extends Pick<CallOptions, "signal" | "deadlineMs"> {
  readonly clock: Clock;
}

/**
 * What `work` gives, which serves others, too, and so goes on whatever happens here. Rejects as soon as the call is over:
 * its deadline, if it has one, or its signal ends the wait and nothing else.
 */
export async function waitWithin<Value>(
  { clock, signal, deadlineMs }: WaitLimits,
  work: Promise<Value>,
): Promise<Value> {
  if (signal?.aborted) {
    // Nobody hears of its end any more.
    work.catch(() => undefined);
    throw abortedBy(signal);
  }
  let release = () => {};
  const over = new Promise<never>((_resolve, reject) => {
    const onAbort = () => reject(abortedBy(signal as AbortSignal));
    const onTime = () => reject(tooLate(deadlineMs ?? 0));
    const cancel = deadlineMs === undefined ? () => {} : clock.after(deadlineMs, onTime);
    signal?.addEventListener("abort", onAbort, { once: true });
    release = () => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([over, work]);
  } finally {
    release();
  }
}

function tooLate(deadlineMs: number): ClientError<"CLIENT_DEADLINE_EXCEEDED"> {
  const message = `not done within what was left of its deadline, ${Math.round(deadlineMs)} ms`;
  return new ClientError("CLIENT_DEADLINE_EXCEEDED", message, { deadlineMs, attempts: 0 });
}
