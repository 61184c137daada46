import type { Clock } from "./clock.ts";

/** What ends a wait early, and the errors to end it with. */
export interface WithDeadlineOptions {
  readonly clock: Clock;
  /** Milliseconds until the wait ends. @default no limit */
  readonly ms?: number;
  /** Ends the wait when aborted. */
  readonly signal?: AbortSignal;
  /** Makes the error of a wait that took too long. Called when `ms` have passed. @default a plain `Error` */
  readonly timedOut?: () => Error;
  /** Makes the error of an aborted wait. `started` is false if the signal was aborted before the work began. @default the signal's reason */
  readonly aborted?: (signal: AbortSignal, started: boolean) => Error;
  /** Whether the process may exit before `ms` have passed. For work whose callers have their own timers. @default false */
  readonly background?: boolean;
}

/**
 * Starts `work` and settles as it does, unless the time is over or the signal is aborted first: then it rejects, and the
 * work continues. Does not start the work if the signal is aborted already.
 *
 * @example
 * await withDeadline(() => fetchToken(), { clock, ms: 500, timedOut: () => new Error("no token within 500 ms"), aborted });
 */
export function withDeadline<Value>(work: () => Promise<Value>, limits: WithDeadlineOptions): Promise<Value> {
  const { clock, ms, signal, background = false } = limits;
  const { timedOut = () => new Error(`timed out after ${ms} ms`), aborted = (by) => by.reason as Error } =
    limits;
  if (signal?.aborted) return Promise.reject(aborted(signal, false));
  return new Promise((resolve, reject) => {
    const release = () => {
      cancel?.();
      signal?.removeEventListener("abort", onAbort);
    };
    const onAbort = () => {
      release();
      reject(aborted(signal as AbortSignal, true));
    };
    const onTime = () => {
      release();
      reject(timedOut());
    };
    const cancel = ms === undefined ? undefined : clock.after(ms, onTime, { background });
    signal?.addEventListener("abort", onAbort, { once: true });
    begin(work).then(
      (value) => {
        release();
        resolve(value);
      },
      (error: unknown) => {
        release();
        reject(error as Error);
      },
    );
  });
}

/** Work that throws before it returns a promise fails like any other. */
function begin<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error as Error);
  }
}
