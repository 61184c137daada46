import { type Clock, systemClock } from "@tablekeep/core";

const longestIntervalMs = 2 ** 31 - 1;

/**
 * Keeps the process alive until it is released, where the time is the machine's: the timers of a `Clock` do not, and a
 * test whose only work is a call that waits would end in the middle of it. A fake clock waits for its test.
 */
export function keepAwake(clock: Clock): () => void {
  if (clock !== systemClock) return () => {};
  const awake = setInterval(() => {}, longestIntervalMs);
  return () => clearInterval(awake);
}
