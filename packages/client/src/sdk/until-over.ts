import { type CallOptions, type Clock, withDeadline } from "@tablekeep/core";
import { ClientError } from "../client-error.ts";
import { abortedBy } from "../retry/deadline.ts";

/** When a call is over, and what to say then. */
export interface CallLimits {
  readonly clock: Clock;
  readonly options: CallOptions;
  readonly deadlineMs: number;
  /** The moment of `clock.monotonic()` at which the call is over. */
  readonly endsAt: number;
  readonly isWrite: boolean;
}

/**
 * Runs `send` until it settles, the deadline passes or the caller aborts; then its signal is aborted too. Does not rely
 * on that: the call ends in time even if the transport goes on waiting.
 */
export async function untilOver<Value>(
  limits: CallLimits,
  send: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { clock, deadlineMs, endsAt, isWrite } = limits;
  const { signal } = limits.options;
  const transport = new AbortController();
  const end = (error: ClientError) => {
    transport.abort(error);
    return error;
  };
  return withDeadline(() => send(transport.signal), {
    clock,
    ms: Math.max(0, endsAt - clock.monotonic()),
    signal,
    timedOut: () =>
      end(
        new ClientError(
          "CLIENT_DEADLINE_EXCEEDED",
          `deadline of ${deadlineMs} ms exceeded before a response arrived`,
          { deadlineMs, attempts: 1 },
          { ambiguous: isWrite },
        ),
      ),
    aborted: (by, started) => end(started ? abortedBy(by, 1, isWrite) : abortedBy(by)),
  });
}
