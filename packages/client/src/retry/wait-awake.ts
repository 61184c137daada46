import { type Clock, sleep } from "@tablekeep/core";

const longestIntervalMs = 2 ** 31 - 1;

/**
 * Sleeps, and keeps the process alive meanwhile. The timers of a `Clock` do not, and the idle sockets of a pool do not
 * either: a program whose only work is one call that waits for its next attempt would end in the middle of it.
 */
export async function waitAwake(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  const awake = setInterval(() => {}, longestIntervalMs);
  try {
    await sleep(clock, ms, signal);
  } finally {
    clearInterval(awake);
  }
}
