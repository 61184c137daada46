import { systemClock } from "@tablekeep/core";

/** Entries in one piece of background work. */
export const entriesAtOnce = 100;
const charactersAtOnce = 1024 * 1024;

/** How much is done in one piece: little enough that callers do not notice. */
export class Portion {
  #entries = 0;
  #characters = 0;

  /** Counts one entry. False if it was the last of this piece. */
  take(text: string): boolean {
    this.#entries++;
    this.#characters += text.length;
    return !this.isFull;
  }

  get isFull(): boolean {
    return this.#entries >= entriesAtOnce || this.#characters >= charactersAtOnce;
  }
}

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
