import type { Clock } from "@tablekeep/core";

/** So many failures cost nothing: people mistype. */
const freeFailures = 5;

/** What the next one costs, in milliseconds; each further one twice as much, up to the longest. */
const firstWaitMs = 1_000;
const longestWaitMs = 60_000;

/** After so long without a failure all is forgotten. */
const memoryMs = 15 * 60_000;

/** Places that are remembered at once; the oldest go first. */
const places = 10_000;

interface Failures {
  count: number;
  /** When the last of them was, on the clock's monotonic time. */
  at: number;
}

/** Makes those wait who fail to sign in again and again, by the place that they come from. */
export class Attempts {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until `from` may try again; 0 if it may now. */
  waitMs(from: string): number {
    const known = this.#known(from);
    if (known === undefined || known.count < freeFailures) return 0;
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** (known.count - freeFailures));
    return Math.max(0, known.at + wait - this.#clock.monotonic());
  }

  /** Whether `from` may try now. The try counts as a failure until it succeeds, so that many at once count, too. */
  begin(from: string): boolean {
    if (this.waitMs(from) > 0) return false;
    const count = (this.#known(from)?.count ?? 0) + 1;
    this.#failures.delete(from);
    this.#failures.set(from, { count, at: this.#clock.monotonic() });
    for (const [oldest] of this.#failures) {
      if (this.#failures.size <= places) break;
      this.#failures.delete(oldest);
    }
    return true;
  }

  succeeded(from: string): void {
    this.#failures.delete(from);
  }

  #known(from: string): Failures | undefined {
    const known = this.#failures.get(from);
    return known !== undefined && this.#clock.monotonic() - known.at <= memoryMs ? known : undefined;
  }
}
