import type { Clock } from "@tablekeep/core";

/** How long a lease may stay as it is before it counts as abandoned, in milliseconds, and in times of the own lease. */
const shortest = 10 * 60_000;
const leases = 10;

/**
 * Notices leases that nobody renews. The end of a lease is a time of its holder's clock: if that was wrong, and the holder is gone, the lease
 * would end years later. How long it has not changed is measured by the own clock.
 */
export class Renewals {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #abandonedMs: number;
  #seen = new Map<string, { readonly until: number; readonly since: number }>();

  constructor(clock: Pick<Clock, "monotonic">, leaseMs: number) {
    this.#clock = clock;
    this.#abandonedMs = Math.max(shortest, leases * leaseMs);
  }

  /** Returns which of the leases that there are now have not been renewed for long. Forgets all others. */
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
