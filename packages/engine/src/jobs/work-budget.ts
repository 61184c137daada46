import { systemClock } from "@tablekeep/core";

/** The entries of one step of background work. */
export const maxEntries = 100;
const maxCharacters = 1024 * 1024;

/** Limits one step of background work, so that callers do not notice it. */
export class WorkBudget {
  #entries = 0;
  #characters = 0;

  /** Counts one entry. Returns false if it was the last of this step. */
  spend(text: string): boolean {
    this.#entries++;
    this.#characters += text.length;
    return !this.isSpent;
  }

  get isSpent(): boolean {
    return this.#entries >= maxEntries || this.#characters >= maxCharacters;
  }
}

/**
 * Resolves in a later turn of the event loop, so that other work runs between two steps; at once if `signal` is
 * aborted. Does not keep the process alive. It is not a wait, so it uses the system's clock instead of the engine's.
 * It is not an immediate either, because one that does not keep the process alive only runs when something else wakes
 * the event loop.
 */
export function nextBackgroundTurn(signal: AbortSignal): Promise<void> {
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
