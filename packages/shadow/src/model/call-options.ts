import { ClientError, waitWithin } from "@tablekeep/client";
import { type Clock, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions } from "./shadow-error.ts";

/** Options of every call. */
export interface ShadowCallOptions {
  /** Ends the call early; a write that was under way may have been applied. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which the call ends, all its requests and waits included. @default the store's, 10,000 */
  readonly deadlineMs?: number;
}

/** The checks of {@link ShadowCallOptions}. */
export const callOptionChecks: OptionChecks<ShadowCallOptions> = {
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** The time that a call has left, over all requests that it makes. */
export interface CallTime {
  /** What to pass to a request that is made now. */
  remaining(): { readonly signal?: AbortSignal; readonly deadlineMs: number };
  /** Waits until others' work has ended; rejects as soon as the time is up, or the caller aborts. */
  waitFor(others: Promise<unknown>): Promise<void>;
}

/** Starts the time of a call. */
export function startCall(clock: Clock, options: ShadowCallOptions, defaultMs: number): CallTime {
  const { signal, deadlineMs = defaultMs } = options;
  const endsAt = clock.monotonic() + deadlineMs;
  // A request refuses a deadline of 0 as a mistake; it ends at once with this one.
  const remaining = () => ({ signal, deadlineMs: Math.max(1, endsAt - clock.monotonic()) });
  return {
    remaining,
    async waitFor(others) {
      await waitWithin({ clock, ...remaining() }, Promise.allSettled([others]));
      // A process that was busy hears of the end before it hears of the time.
      if (clock.monotonic() >= endsAt) throw tooLate(deadlineMs);
    },
  };
}

function tooLate(deadlineMs: number): ClientError {
  return new ClientError(
    "CLIENT_DEADLINE_EXCEEDED",
    `not begun within its deadline of ${deadlineMs} ms: others came first`,
    { deadlineMs, attempts: 0 },
  );
}

/** Refuses call options that do not exist. */
export function checkCall(options: ShadowCallOptions): void {
  checkOptions(options, callOptionChecks);
}
