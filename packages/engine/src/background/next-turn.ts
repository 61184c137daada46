import { systemClock } from "@tablekeep/core";

/**
 * Resolves in a later turn of the event loop, so that others run between two pieces of work; at once when `signal` is
 * aborted. Does not keep the process alive. It is no wait, so it goes by the machine's clock and not by the engine's;
 * and no immediate, because one that does not keep the process alive only runs when something else wakes it.
 */
export function nextTurn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = systemClock.after(0, done, { background: true });
    signal.addEventListener("abort", done);
  });
}
