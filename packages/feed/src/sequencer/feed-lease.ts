import { newWriteId } from "@tablekeep/client";
import { type Clock, type LinkedSignal, type Logger, linkSignals, sleep } from "@tablekeep/core";
import { Renewals } from "../renewals.ts";
import type { FeedRecord } from "../store/feed-record.ts";
import type { FeedStore, Lease } from "../store/feed-store.ts";

/** Dependencies of a lease. */
export interface LeaseContext {
  readonly store: FeedStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly leaseMs: number;
  /** Whether the work must begin again with what is stored now: a sweep or another generation was requested, or the table was replaced. */
  readonly isOutdated: (stored: FeedRecord | undefined) => boolean;
}

/** The lease is read once for this many attempts to acquire it. */
const waitsPerRead = 10;

/**
 * Does work while this process has the lease, until the signal aborts. The lease only saves work: two processes that both
 * have it, because their clocks differ, write the same feed.
 */
export async function whileFeedLeased(
  context: LeaseContext,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const { store, clock, logger, leaseMs } = context;
  const owner = newWriteId();
  const call = { signal };
  const renewals = new Renewals(clock, leaseMs);
  const acquire = async (abandoned?: Lease) => {
    try {
      return await store.acquireLease(owner, clock.now(), leaseMs, { ...call, abandoned });
    } catch (error) {
      if (signal.aborted) return false;
      logger.warn("could not renew the lease of a feed", { error });
      return undefined;
    }
  };
  try {
    for (let waits = 1; !signal.aborted; waits++) {
      const abandoned =
        waits % waitsPerRead === 0 ? await abandonedLease(store, renewals, signal) : undefined;
      if ((await acquire(abandoned)) === true) await workAndRenew(context, acquire, signal, work);
      else await sleep(clock, leaseMs / 3, signal).catch(() => {});
    }
  } finally {
    // Also after a failure: the next run, of this process too, has another owner and would wait until the lease expires.
    await store.releaseLease(owner).catch((error: unknown) => {
      logger.warn("could not release the lease of a feed; it will expire", { error });
    });
  }
}

/** Returns the lease of another process if that process has stopped renewing it. */
async function abandonedLease(
  store: FeedStore,
  renewals: Renewals,
  signal: AbortSignal,
): Promise<Lease | undefined> {
  const lease = await store.readLease({ signal }).catch(() => undefined);
  if (lease === undefined) return undefined;
  return renewals.abandoned(new Map([[lease.owner, lease.until]])).has(lease.owner) ? lease : undefined;
}

async function workAndRenew(
  context: LeaseContext,
  acquire: () => Promise<boolean | undefined>,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = linkSignals(signal);
  const renewing = renew(context, acquire, ended);
  try {
    await work(ended.signal);
  } finally {
    ended.abort();
    // A renewal in flight must not follow the release of the lease.
    await renewing;
  }
}

/** Renews a lease until the work has ended, or ends the work once another process has the lease or the work is outdated. */
async function renew(
  { store, clock, leaseMs, isOutdated }: LeaseContext,
  acquire: () => Promise<boolean | undefined>,
  ended: LinkedSignal,
): Promise<void> {
  const { signal } = ended;
  for (let round = 1; !signal.aborted; round++) {
    await sleep(clock, leaseMs / 3, signal).catch(() => {});
    if (signal.aborted) return;
    if ((await acquire()) === false) ended.abort();
    if (round % 3 !== 0) continue;
    const mustBeginAgain = await store.readRecord({ signal }, false).then(isOutdated, () => false);
    if (mustBeginAgain) ended.abort();
  }
}
