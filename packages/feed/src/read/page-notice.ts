import type { Clock } from "@tablekeep/core";

/** How long a reader counts as live after it has waited, in milliseconds: meanwhile it handles what it has read. */
const liveMs = 2000;

/** Wakes the readers of this process that wait for pages. */
export class PageNotice {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  #waitedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `wake` whenever this process may have written pages. Returns a function that stops it. */
  readonly listen = (wake: () => void): (() => void) => {
    this.#waiting.add(wake);
    return () => {
      this.#waitedAt = this.#clock.monotonic();
      this.#waiting.delete(wake);
    };
  };

  notify(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Whether a reader of this process waits for pages, or did a moment ago. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0 || this.#clock.monotonic() - this.#waitedAt < liveMs;
  }
}
