import { type Clock, type Outcome, sleep } from "@tablekeep/core";
import type {
  ChangeFeed,
  ShadowChange,
  ShadowId,
  ShadowManager,
  ShadowName,
  ShadowView,
} from "@tablekeep/shadow";

/** The waits before each read for an update whose outcome is unknown, in milliseconds. After the last read the update is given up. */
const waitsMs: readonly number[] = [100, 500, 2_000, 5_000, 15_000, 30_000];

/** The number of unknown updates that are polled for at a time. Beyond it, as in a long outage, an update is given up at once. */
const maxPolled = 1_000;

/** The number of shadows whose last announced version is remembered. */
const maxRemembered = 10_000;

/** An update that may be stored. */
interface UnknownUpdate extends ShadowId {
  readonly clientToken: string;
  /** Nanoseconds since 1970. */
  readonly startedAt: bigint;
}

/** The writes of this server to one shadow. */
interface Writes {
  started: number;
  inFlight: number;
  readonly unknown: Set<UnknownUpdate>;
}

/** The fields of a write request that identify its update. */
type WriteRequest = ShadowName & { readonly clientToken?: string };

/** Dependencies of the announcements. */
export interface OwnChangesOptions {
  readonly manager: ShadowManager;
  readonly clock: Clock;
}

/**
 * Announces the changes that a manager makes. If the outcome of an update is unknown, its shadow is read again in the
 * background, and the update is announced once it is found: by such a read, or by the next update, which reads what it
 * changes.
 */
export class OwnChanges {
  readonly #feed: ChangeFeed;
  readonly #options: OwnChangesOptions;
  readonly #closing = new AbortController();
  readonly #stop: () => void;
  readonly #writes = new Map<string, Writes>();
  #polled = 0;
  /** The last announced versions. */
  readonly #announced = new Map<string, number>();

  constructor(feed: ChangeFeed, options: OwnChangesOptions) {
    this.#feed = feed;
    this.#options = options;
    this.#stop = options.manager.onChange((change) => this.#changed(change));
  }

  /** The manager whose writes are announced. */
  manager(): ShadowManager {
    const { manager } = this.#options;
    return {
      ...manager,
      report: (request, call) => this.#update(request, () => manager.report(request, call)),
      desire: (request, call) => this.#update(request, () => manager.desire(request, call)),
      update: (request, call) => this.#update(request, () => manager.update(request, call)),
      delete: (request, call) => this.#write(keyOf(request), () => manager.delete(request, call)),
    };
  }

  close(): void {
    this.#stop();
    this.#closing.abort();
  }

  #changed(change: ShadowChange): void {
    const unknown = this.#writes.get(keyOf(change))?.unknown;
    const previous = change.kind === "updated" ? change.update.previous : undefined;
    for (const update of unknown ?? []) if (previous !== undefined) this.#announceIfStored(update, previous);
    // Each write is conditional on the version before it: one of unknown outcome is stored by now, or never.
    unknown?.clear();
    this.#announce(change);
  }

  #announce(change: ShadowChange): void {
    const key = keyOf(change);
    this.#announced.delete(key);
    if (change.kind === "updated") this.#announced.set(key, change.version);
    const [oldest] = this.#announced.keys();
    if (oldest !== undefined && this.#announced.size > maxRemembered) this.#announced.delete(oldest);
    this.#feed.publish(change);
  }

  /** Announces an update of unknown outcome if it is the current version of its shadow. The previous state is no longer known. */
  #announceIfStored({ id, name, clientToken, startedAt }: UnknownUpdate, current: ShadowView): boolean {
    const { version } = current;
    if (current.timeStamp < startedAt || current.clientToken !== clientToken) return false;
    if (version <= (this.#announced.get(keyOf({ id, name })) ?? 0)) return false;
    this.#announce({ id, name, kind: "updated", version, update: { current, changes: [], written: true } });
    return true;
  }

  async #update<Value>(request: WriteRequest, work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
    const { id, name = "", clientToken = "" } = request;
    const startedAt = BigInt(Math.floor(this.#options.clock.now())) * 1_000_000n;
    const key = keyOf(request);
    return this.#write(key, async (writes) => {
      const outcome = await work();
      if (outcome.kind === "unknown") void this.#pollFor(key, writes, { id, name, clientToken, startedAt });
      return outcome;
    });
  }

  /** Counts a write while it is in flight. */
  async #write<Value>(key: string, work: (writes: Writes) => Promise<Value>): Promise<Value> {
    const writes = this.#writes.get(key) ?? { started: 0, inFlight: 0, unknown: new Set() };
    this.#writes.set(key, writes);
    writes.started++;
    writes.inFlight++;
    try {
      return await work(writes);
    } finally {
      writes.inFlight--;
      this.#forget(key, writes);
    }
  }

  #forget(key: string, { inFlight, unknown }: Writes): void {
    if (inFlight === 0 && unknown.size === 0) this.#writes.delete(key);
  }

  /** Polls for an update until it is announced, another write follows it, or the waits are over. Never rejects. */
  async #pollFor(key: string, writes: Writes, update: UnknownUpdate): Promise<void> {
    if (this.#polled >= maxPolled) return;
    const { clock } = this.#options;
    const { signal } = this.#closing;
    this.#polled++;
    writes.unknown.add(update);
    for (const waitMs of waitsMs) {
      await sleep(clock, waitMs, signal, { background: true }).catch(() => undefined);
      if (signal.aborted || !writes.unknown.has(update) || (await this.#readBack(writes, update))) break;
    }
    this.#polled--;
    writes.unknown.delete(update);
    this.#forget(key, writes);
  }

  /** Reads the shadow of an update. Returns whether the update was found, and announced. */
  async #readBack(writes: Writes, update: UnknownUpdate): Promise<boolean> {
    const { id, name } = update;
    const { started, inFlight } = writes;
    // A write in flight reads the shadow, too, and announces its own version.
    if (inFlight > 0) return false;
    const read = this.#options.manager.get({ id, name }, { signal: this.#closing.signal });
    const view = await read.catch(() => undefined);
    if (view === undefined || writes.started > started) return false;
    return writes.unknown.has(update) && this.#announceIfStored(update, view);
  }
}

function keyOf({ id, name = "" }: ShadowName): string {
  return JSON.stringify([id, name]);
}
