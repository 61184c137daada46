import { ClientError, waitWithin } from "@tablekeep/client";
import { type Clock, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions } from "./shadow-error.ts";

/** Options of every call. */
export interface ShadowCallOptions {
  /** Ends the call early; a write in flight may have been applied. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which the call ends, all its requests and waits included. @default the store's, 10,000 */
  readonly deadlineMs?: number;
}

/** The checks of {@link ShadowCallOptions}. */
export const callOptionChecks: OptionChecks<ShadowCallOptions> = {
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** The remaining time of a call, which all of its requests share. */
export interface CallTime {
  /** Milliseconds until the deadline; 0 after it. */
  leftMs(): number;
  /** Options of a request that is made now. Throws after the deadline, so that nothing is sent then. */
  remaining(): { readonly signal?: AbortSignal; readonly deadlineMs: number };
  /** Waits for the work of other calls. Rejects as soon as the deadline passes or the caller aborts. */
  waitFor(others: Promise<unknown>): Promise<void>;
}

/** Starts the time of a call. */
export function startCall(clock: Clock, options: ShadowCallOptions, defaultMs: number): CallTime {
  const { signal, deadlineMs = defaultMs } = options;
  const endsAt = clock.monotonic() + deadlineMs;
  const leftMs = () => Math.max(0, endsAt - clock.monotonic());
  const remaining = () => {
    const left = leftMs();
    if (left === 0) throw deadlineExceeded(deadlineMs);
    return { signal, deadlineMs: left };
  };
  return {
    leftMs,
    remaining,
    async waitFor(others) {
      await waitWithin({ clock, ...remaining() }, Promise.allSettled([others]));
      // In a busy process, the end of the wait may be noticed before the timer fires.
      remaining();
    },
  };
}

function deadlineExceeded(deadlineMs: number): ClientError {
  return new ClientError(
    "CLIENT_DEADLINE_EXCEEDED",
    `deadline of ${deadlineMs} ms exceeded before the request was sent`,
    { deadlineMs, attempts: 0 },
  );
}

/** Throws for unknown call options. */
export function checkCall(options: ShadowCallOptions): void {
  checkOptions(options, callOptionChecks);
}
