/** Source of time for every package. Injected, so that tests control it. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. May jump; never used to measure a duration. */
  now(): number;
  /** Milliseconds that only ever grow, from an arbitrary origin. For durations and deadlines. */
  monotonic(): number;
  /**
   * Calls `callback` once after `ms` unless cancelled first. Keeps the process alive until then, unless the timer is a
   * background timer: a caller waits for it.
   */
  after(ms: number, callback: () => void, options?: TimerOptions): CancelTimer;
}

export interface TimerOptions {
  /** Whether the process may exit before the timer fires. For periodic work that no caller waits for. @default false */
  readonly background?: boolean;
}

export type CancelTimer = () => void;

/** Node fires a timer with a longer delay immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, { background = false } = {}) {
    if (ms > maxTimerMs) return inSteps(ms, callback, background);
    const timer = setTimeout(callback, ms);
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
};

function inSteps(ms: number, callback: () => void, background: boolean): CancelTimer {
  let left = ms;
  let timer: NodeJS.Timeout;
  const next = () => {
    const step = Math.min(left, maxTimerMs);
    left -= step;
    timer = setTimeout(left > 0 ? next : callback, step);
    if (background) timer.unref();
  };
  next();
  return () => clearTimeout(timer);
}

/**
 * Resolves after `ms` of `clock`; rejects with the signal's reason as soon as `signal` is aborted. Keeps the process alive
 * meanwhile, unless it is a background wait.
 *
 * @example
 * await sleep(systemClock, 100);
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal, options?: TimerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(
      ms,
      () => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      },
      options,
    );
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** A source of random numbers in [0, 1). Injected, so that a seed repeats a run. */
export type Random = () => number;

/** The machine's randomness, good enough for jitter; ids come from `crypto.randomUUID`. */
export const systemRandom: Random = () => Math.random();
