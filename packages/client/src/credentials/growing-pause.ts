import type { Clock } from "@tablekeep/core";

/** How long to leave a provider alone that gave nothing new. */
interface GrowingPause {
  /** Starts one, twice as long as the one before: 1 second at first, a minute at most. */
  start(): void;
  /** The next one is short again. One that runs goes on. */
  reset(): void;
  isRunning(): boolean;
}

const firstMs = 1_000;
const longestMs = 60_000;

/** A pause that grows each time, until it is reset. */
export function growingPause(clock: Clock): GrowingPause {
  let rounds = 0;
  let endsAt = Number.NEGATIVE_INFINITY;
  return {
    start() {
      endsAt = clock.monotonic() + Math.min(longestMs, firstMs * 2 ** rounds++);
    },
    reset() {
      rounds = 0;
    },
    isRunning: () => clock.monotonic() < endsAt,
  };
}
