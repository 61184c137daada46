import { setImmediate } from "node:timers";
import type { CancelTimer, Clock } from "@tablekeep/core";
import { knownOptions, TestkitError } from "../base/testkit-error.ts";

export interface FakeClockOptions {
  /** The initial value of `now()`, in milliseconds since 1970. @default 2020-01-01T00:00:00Z */
  readonly startAt?: number;
}

export interface AutoAdvanceOptions {
  /**
   * Whether something is in progress that does not use this clock, such as a request on a socket or a file being
   * written: time stands still meanwhile. A `FaultyPort` has a fitting `busy`. @default never
   */
  readonly busy?: () => boolean;
  /** Throws after this many timers. @default 10,000,000 */
  readonly limit?: number;
}

/** A clock that stands still until the test moves it. */
export interface FakeClock extends Clock {
  /** How many timers wait. */
  readonly pending: number;
  /**
   * Advances by `ms`. Due timers run in the order of their times, those of one time in the order in which they were set, and
   * what they cause runs before the next one, new timers included.
   *
   * @example
   * await clock.advance(60_000);
   */
  advance(ms: number): Promise<void>;
  /**
   * Advances to the next timer and runs it. Returns false if there is none.
   *
   * @example
   * while (await clock.advanceToNext()) console.log(clock.now());
   */
  advanceToNext(): Promise<boolean>;
  /**
   * Goes from timer to timer until none is left. Throws after `limit` timers. @default limit 100,000
   *
   * @example
   * await clock.runAll();
   */
  runAll(limit?: number): Promise<void>;
  /**
   * Runs `work` and moves on to the next timer whenever nothing else is left to do, until `work` is done: a simulation
   * at full speed. Throws if the work waits while no timer is set.
   *
   * @example
   * const events = await clock.autoAdvance(() => readAll(journal), { busy: () => faulty.busy() });
   */
  autoAdvance<Result>(work: () => Promise<Result>, options?: AutoAdvanceOptions): Promise<Result>;
  /**
   * Moves `now()` by `ms`, forward or back, as when a clock is corrected. `monotonic()` and timers are not affected.
   *
   * @example
   * clock.jump(-3_600_000);
   */
  jump(ms: number): void;
}

interface Timer {
  readonly dueAt: number;
  readonly callback: () => void;
}

const defaultStart = Date.UTC(2020, 0, 1);

/**
 * Creates a clock that the test controls.
 *
 * @example
 * const clock = fakeClock();
 * const slept = sleep(clock, 60_000);
 * await clock.advance(60_000);
 * await slept;
 */
export function fakeClock(options: FakeClockOptions = {}): FakeClock {
  knownOptions(options, ["startAt"]);
  checkNumber("startAt", options.startAt ?? defaultStart);
  const timers = new Set<Timer>();
  let elapsed = 0;
  let skew = options.startAt ?? defaultStart;

  /** Runs the next timer, if it is due by then. What came before it must have run. */
  const ring = (until: number): boolean => {
    const timer = earliest(timers);
    if (timer === undefined || timer.dueAt > until) return false;
    timers.delete(timer);
    elapsed = Math.max(elapsed, timer.dueAt);
    timer.callback();
    return true;
  };
  const runNext = async (until: number): Promise<boolean> => {
    await quiescence();
    return ring(until);
  };
  const after = (ms: number, callback: () => void): CancelTimer => {
    if (Number.isNaN(ms)) checkNumber("ms", ms);
    const timer = { dueAt: elapsed + Math.max(0, ms), callback };
    timers.add(timer);
    return () => {
      timers.delete(timer);
    };
  };
  return {
    now: () => skew + elapsed,
    monotonic: () => elapsed,
    after,
    get pending() {
      return timers.size;
    },
    async advance(ms) {
      checkNumber("ms", ms);
      const until = elapsed + ms;
      while (await runNext(until));
      elapsed = Math.max(elapsed, until);
      await quiescence();
    },
    advanceToNext: () => runNext(Number.POSITIVE_INFINITY),
    async runAll(limit = 100_000) {
      for (let count = 0; await runNext(Number.POSITIVE_INFINITY); count++) {
        if (count >= limit) throw tooLong(limit);
      }
    },
    autoAdvance: (work, settings = {}) => drive(work, () => ring(Number.POSITIVE_INFINITY), settings),
    jump(ms) {
      checkNumber("ms", ms);
      skew += ms;
    },
  };
}

async function drive<Result>(
  work: () => Promise<Result>,
  ring: () => boolean,
  { busy = () => false, limit = 10_000_000 }: AutoAdvanceOptions,
): Promise<Result> {
  let done = false;
  const running = work().finally(() => {
    done = true;
  });
  // Returned below; until then its rejection must not count as unhandled.
  running.catch(() => undefined);
  for (let timers = 0; timers <= limit; timers++) {
    do await quiescence();
    while (busy() && !done);
    if (done) return running;
    if (!ring()) {
      const message = "deadlock: work is pending but no timer is set on this clock (await only what uses it)";
      throw new TestkitError("TESTKIT_CLOCK_STUCK", message, {});
    }
  }
  throw tooLong(limit);
}

function tooLong(limit: number): TestkitError {
  const message = `timers are still set after ${limit} of them fired: does one set itself again forever?`;
  return new TestkitError("TESTKIT_TOO_LONG", message, { limit });
}

/** NaN would compare as neither before nor after any other time. */
function checkNumber(option: string, value: number): void {
  if (Number.isFinite(value)) return;
  const reason = `must be a finite number of milliseconds, got ${value}`;
  throw new TestkitError("TESTKIT_OPTION_INVALID", `${option} ${reason}`, { option, reason });
}

/** A set keeps the order of insertion: of one time, the first that was set. */
function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (timer.dueAt === Number.POSITIVE_INFINITY) continue;
    if (first === undefined || timer.dueAt < first.dueAt) first = timer;
  }
  return first;
}

/**
 * Resolves once every promise callback that can run has run, those that they cause included. Node empties that queue
 * before it runs the next immediate.
 */
export function quiescence(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
