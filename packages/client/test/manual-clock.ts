import type { Clock } from "@tablekeep/core";

/** A clock that moves only when told to. Timers run when it passes them. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

/** A clock that starts now, by the machine's own. */
export function manualClock(startsAt: number = Date.now()): ManualClock {
  let elapsed = 0;
  let timers: { at: number; run: () => void }[] = [];
  return {
    now: () => startsAt + elapsed,
    monotonic: () => elapsed,
    after(ms, run) {
      const timer = { at: elapsed + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    advance(ms) {
      elapsed += ms;
      const due = timers.filter((timer) => timer.at <= elapsed).sort((one, other) => one.at - other.at);
      timers = timers.filter((timer) => timer.at > elapsed);
      for (const timer of due) timer.run();
    },
  };
}
