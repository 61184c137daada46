import type { CallOptions, Clock } from "@tablekeep/core";
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
  if (signal?.aborted) throw abortedBy(signal);
  const transport = new AbortController();
  let release = () => {};
  const over = new Promise<never>((_, reject) => {
    const end = (error: ClientError) => {
      reject(error);
      transport.abort(error);
    };
    const onAbort = () => signal && end(abortedBy(signal, 1, isWrite));
    const cancel = clock.after(Math.max(0, endsAt - clock.monotonic()), () =>
      end(
        new ClientError(
          "CLIENT_DEADLINE_EXCEEDED",
          `no answer within the deadline of ${deadlineMs} ms`,
          { deadlineMs, attempts: 1 },
          { ambiguous: isWrite },
        ),
      ),
    );
    signal?.addEventListener("abort", onAbort, { once: true });
    release = () => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    };
  });
  try {
    return await Promise.race([over, send(transport.signal)]);
  } finally {
    release();
  }
}
