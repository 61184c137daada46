/** Time as the rooms see it. Injected, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. May jump; never used to measure a duration. */
  now(): number;
  /** Milliseconds that only ever grow, from an arbitrary origin. For durations and deadlines. */
  monotonic(): number;
  /** Calls `callback` once after `ms` unless cancelled first. Does not keep the process alive. */
  after(ms: number, callback: () => void): CancelTimer;
}

export type CancelTimer = () => void;

/** Node rings a timer that is set to more at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(ms, longestTimerMs));
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms` of `clock`; rejects with the signal's reason as soon as `signal` is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
