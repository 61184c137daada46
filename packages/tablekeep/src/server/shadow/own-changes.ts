import { setMaxListeners } from "node:events";
import { type Clock, type Outcome, sleep } from "@tablekeep/core";
import type {
  ChangeFeed,
  ShadowChange,
  ShadowId,
  ShadowManager,
  ShadowName,
  ShadowView,
} from "@tablekeep/shadow";

/** The waits before each read for a write whose outcome is unknown, in milliseconds. After the last read the write is given up. */
const waitsMs: readonly number[] = [100, 500, 2_000, 5_000, 15_000, 30_000];

/** The maximum number of unknown writes to poll for at a time. Further ones, such as during a long outage, are not polled for. */
const maxPolled = 1_000;

/** The number of shadows whose last announced change is remembered. */
const maxRemembered = 10_000;

/** An update that may be stored. */
interface UnknownUpdate extends ShadowId {
  readonly kind: "updated";
  readonly clientToken: string;
  /** Nanoseconds since 1970. */
  readonly startedAt: bigint;
}

/** A delete that may have been applied. */
interface UnknownDelete extends ShadowId {
  readonly kind: "deleted";
}

type UnknownWrite = UnknownUpdate | UnknownDelete;

/** The writes of this server to one shadow. */
interface Writes {
  started: number;
  inFlight: number;
  readonly unknown: Set<UnknownWrite>;
}

/** Dependencies of the announcements. */
export interface OwnChangesOptions {
  readonly manager: ShadowManager;
  readonly clock: Clock;
}

/**
 * Announces the changes that a manager makes. If the outcome of a write is unknown, its shadow is read again in the
 * background, and the write is announced once it is found: by such a read, or by the next update, which reads the shadow
 * first.
 */
export class OwnChanges {
  readonly #feed: ChangeFeed;
  readonly #options: OwnChangesOptions;
  readonly #closing = new AbortController();
  readonly #stop: () => void;
  readonly #writes = new Map<string, Writes>();
  #polled = 0;
  /** The last announced change to each shadow. */
  readonly #announced = new Map<string, Pick<ShadowChange, "kind" | "version">>();

  constructor(feed: ChangeFeed, options: OwnChangesOptions) {
    this.#feed = feed;
    this.#options = options;
    setMaxListeners(maxPolled, this.#closing.signal);
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
      delete: (request, call) => {
        const { id, name = "" } = request;
        return this.#write({ kind: "deleted", id, name }, () => manager.delete(request, call));
      },
    };
  }

  /** Whether a write to a shadow is in flight, or may still be found: it is announced here. */
  isWriting(shadow: ShadowName): boolean {
    return this.#writes.has(keyOf(shadow));
  }

  close(): void {
    this.#stop();
    this.#closing.abort();
  }

  #changed(change: ShadowChange): void {
    const unknown = this.#writes.get(keyOf(change))?.unknown;
    for (const write of unknown ?? []) this.#announceIfBefore(write, change);
    // Each write is conditional on the version before it: a write of unknown outcome is stored by now, or never.
    unknown?.clear();
    this.#announce(change);
  }

  /** Announces a write of unknown outcome if the next change shows that it was stored. */
  #announceIfBefore(write: UnknownWrite, next: ShadowChange): void {
    if (next.kind === "deleted") return;
    const { previous } = next.update;
    if (write.kind === "updated" && previous !== undefined) this.#announceUpdate(write, previous);
    // A shadow that is created again continues after the version that was deleted.
    if (write.kind === "deleted" && previous === undefined && next.version > 1)
      this.#announceDelete(write, next.version - 1);
  }

  #announce(change: ShadowChange): void {
    const key = keyOf(change);
    this.#announced.delete(key);
    this.#announced.set(key, { kind: change.kind, version: change.version });
    const [oldest] = this.#announced.keys();
    if (oldest !== undefined && this.#announced.size > maxRemembered) this.#announced.delete(oldest);
    this.#feed.publish(change);
  }

  /**
   * Announces an update of unknown outcome if it is the current version of its shadow. The previous state is no longer known.
   */
  #announceUpdate({ id, name, clientToken, startedAt }: UnknownUpdate, current: ShadowView): boolean {
    const { version } = current;
    if (current.timeStamp < startedAt || current.clientToken !== clientToken) return false;
    const last = this.#announced.get(keyOf({ id, name }));
    if (last?.kind === "updated" && version <= last.version) return false;
    this.#announce({ id, name, kind: "updated", version, update: { current, changes: [], written: true } });
    return true;
  }

  /** Announces a delete of unknown outcome, by the remembered version of the shadow, unless that was announced. */
  #announceDelete({ id, name }: UnknownDelete, version: number): boolean {
    const last = this.#announced.get(keyOf({ id, name }));
    if (last?.kind === "deleted" && last.version === version) return false;
    const deletion = { version, timeStamp: this.#now() };
    this.#announce({ id, name, kind: "deleted", version, deletion });
    return true;
  }

  #now(): bigint {
    return BigInt(Math.floor(this.#options.clock.now())) * 1_000_000n;
  }

  #update<Value>(
    { id, name = "", clientToken = "" }: ShadowName & { readonly clientToken?: string },
    work: () => Promise<Outcome<Value>>,
  ): Promise<Outcome<Value>> {
    return this.#write({ kind: "updated", id, name, clientToken, startedAt: this.#now() }, work);
  }

  /** Performs a write, and starts to poll for it if its outcome is unknown. */
  async #write<Value>(write: UnknownWrite, work: () => Promise<Outcome<Value>>): Promise<Outcome<Value>> {
    const key = keyOf(write);
    const writes = this.#writes.get(key) ?? { started: 0, inFlight: 0, unknown: new Set() };
    this.#writes.set(key, writes);
    writes.started++;
    writes.inFlight++;
    try {
      const outcome = await work();
      if (outcome.kind === "unknown") void this.#pollFor(writes, write);
      return outcome;
    } finally {
      writes.inFlight--;
      this.#forget(key, writes);
    }
  }

  #forget(key: string, { inFlight, unknown }: Writes): void {
    if (inFlight === 0 && unknown.size === 0) this.#writes.delete(key);
  }

  /** Polls for a write until it is announced, another write follows it, or the waits are over. Never rejects. */
  async #pollFor(writes: Writes, write: UnknownWrite): Promise<void> {
    if (this.#polled >= maxPolled) return;
    const { clock } = this.#options;
    const { signal } = this.#closing;
    this.#polled++;
    writes.unknown.add(write);
    for (const waitMs of waitsMs) {
      await sleep(clock, waitMs, signal, { background: true }).catch(() => undefined);
      if (signal.aborted || !writes.unknown.has(write) || (await this.#readBack(writes, write))) break;
    }
    this.#polled--;
    writes.unknown.delete(write);
    this.#forget(keyOf(write), writes);
  }

  /** Reads the shadow of a write. Returns whether the write was found, and announced. */
  async #readBack(writes: Writes, write: UnknownWrite): Promise<boolean> {
    const { started, inFlight } = writes;
    // A write in flight also reads the shadow, and announces its own version.
    if (inFlight > 0) return false;
    const { id, name } = write;
    const { manager } = this.#options;
    const call = { signal: this.#closing.signal };
    const isCurrent = () => writes.started === started && writes.unknown.has(write);
    if (write.kind === "updated") {
      const view = await manager.get({ id, name }, call).catch(() => undefined);
      return view !== undefined && isCurrent() && this.#announceUpdate(write, view);
    }
    const version = await manager.shadows.deletedVersion({ id, name }, call).catch(() => undefined);
    return version !== undefined && isCurrent() && this.#announceDelete(write, version);
  }
}

function keyOf({ id, name = "" }: ShadowName): string {
  return JSON.stringify([id, name]);
}
