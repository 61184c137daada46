import { setImmediate } from "node:timers";

/**
 * Resolves once every promise callback that can run has run, those that they cause included. Node empties that queue
 * before it comes to the next immediate.
 */
export function quiescence(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
