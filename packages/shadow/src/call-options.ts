import { type Clock, type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions } from "./options/check-options.ts";

/** What every call of this room takes. */
export interface ShadowCallOptions {
  /** Ends the call early; a write that was under way may have been applied. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the call ends, all its requests included. @default the store's, 10,000 */
  readonly deadlineMs?: number | undefined;
}

/** The checks of {@link ShadowCallOptions}. */
export const callOptionChecks: OptionChecks<ShadowCallOptions> = {
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** The time that a call has left, over all requests that it makes. */
export interface CallTime {
  /** What to pass to a request that is made now. */
  remaining(): { readonly signal?: AbortSignal | undefined; readonly deadlineMs: number };
}

/** Starts the time of a call. */
export function startCall(clock: Clock, options: ShadowCallOptions, defaultMs: number): CallTime {
  const endsAt = clock.monotonic() + (options.deadlineMs ?? defaultMs);
  return {
    // A request refuses a deadline of 0 as a mistake; it ends at once with this one.
    remaining: () => ({ signal: options.signal, deadlineMs: Math.max(1, endsAt - clock.monotonic()) }),
  };
}

/** Refuses call options that do not exist. */
export function checkCall(options: ShadowCallOptions): void {
  checkOptions(options, callOptionChecks);
}
