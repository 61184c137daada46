import type { Clock } from "@tablekeep/core";

/** A lease that is not renewed for this many milliseconds, and for this many terms of our own lease, is abandoned. */
const minAbandonedMs = 10 * 60_000;
const abandonedTerms = 10;

/**
 * Finds abandoned leases. A lease ends at a time of its holder's clock: if that clock was wrong and the holder has crashed, the lease
 * could last for years. So our own clock measures how long a lease has not changed.
 */
export class Renewals {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #abandonedMs: number;
  #seen = new Map<string, { readonly until: number; readonly since: number }>();

  constructor(clock: Pick<Clock, "monotonic">, leaseMs: number) {
    this.#clock = clock;
    this.#abandonedMs = Math.max(minAbandonedMs, abandonedTerms * leaseMs);
  }

  /** Returns the holders of the current leases that are abandoned. Forgets all other leases. */
  abandoned(current: ReadonlyMap<string, number>): Set<string> {
    const now = this.#clock.monotonic();
    const seen = new Map<string, { readonly until: number; readonly since: number }>();
    const abandoned = new Set<string>();
    for (const [holder, until] of current) {
      const before = this.#seen.get(holder);
      const entry = before?.until === until ? before : { until, since: now };
      seen.set(holder, entry);
      if (now - entry.since > this.#abandonedMs) abandoned.add(holder);
    }
    this.#seen = seen;
    return abandoned;
  }
}
