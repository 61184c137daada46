import { setMaxListeners } from "node:events";

/**
 * Returns a signal that aborts with the caller's, for many requests at the same time. Each request listens to its signal, and Node warns of a
 * leak where more than ten do.
 */
export function requestSignal(signal: AbortSignal): AbortSignal {
  const own = AbortSignal.any([signal]);
  setMaxListeners(0, own);
  return own;
}
