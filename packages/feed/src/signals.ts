import { setMaxListeners } from "node:events";
import { type Clock, sleep } from "@tablekeep/core";

/** One for each signal: Node 20 keeps every signal made by `AbortSignal.any` as long as its source. */
const requestSignals = new WeakMap<AbortSignal, AbortSignal>();

/**
 * Returns a signal that aborts with the caller's, for many requests at the same time. Each request listens to its signal, and Node warns of a
 * leak where more than ten do.
 */
export function requestSignal(signal: AbortSignal): AbortSignal {
  let own = requestSignals.get(signal);
  if (own === undefined) {
    own = AbortSignal.any([signal]);
    setMaxListeners(0, own);
    requestSignals.set(signal, own);
  }
  return own;
}

/** Calls `wake` when there is a reason to end a wait. Returns a function that stops it. */
export type Listen = (wake: () => void) => () => void;

/**
 * Resolves after `ms`, when `listen` calls its argument, or when the signal aborts, whichever is first. Leaves no listener behind: a loop may
 * wait with one signal for months, and a signal made by `AbortSignal.any` for each wait would stay on the list of that one.
 */
export async function sleepUntilWoken(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  listen: Listen,
): Promise<void> {
  if (signal?.aborted) return;
  const woken = new AbortController();
  const wake = () => woken.abort();
  const stop = listen(wake);
  signal?.addEventListener("abort", wake, { once: true });
  await sleep(clock, ms, woken.signal).catch(() => {});
  signal?.removeEventListener("abort", wake);
  stop();
}
