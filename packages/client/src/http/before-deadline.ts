import type { Clock } from "@tablekeep/core";
import { abortedBy } from "../retry/deadline.ts";
import { cutByDeadline } from "./transport-failure.ts";

/** The time of a call. */
export interface CallTime {
  readonly clock: Clock;
  /** The moment of `clock.monotonic()` at which the call is over. */
  readonly endsAt: number;
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** What `work` gives, unless the call is over first. `during` says what was going on, for people. */
export function beforeDeadline<Value>(time: CallTime, during: string, work: Promise<Value>): Promise<Value> {
  const { clock, endsAt, deadlineMs, signal } = time;
  return new Promise((resolve, reject) => {
    const onAbort = () => end(() => reject(abortedBy(signal as AbortSignal)));
    const cancel = clock.after(Math.max(1, Math.min(endsAt - clock.monotonic(), 2 ** 31 - 1)), () =>
      end(() => reject(cutByDeadline(deadlineMs, during))),
    );
    const end = (settle: () => void) => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
      settle();
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    work.then(
      (value) => end(() => resolve(value)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
