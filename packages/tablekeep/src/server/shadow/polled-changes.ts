import { type Clock, type Logger, sleep } from "@tablekeep/core";
import {
  type ChangeFeed,
  isShadowError,
  type ShadowChange,
  type ShadowId,
  type ShadowManager,
  type ShadowName,
  type ShadowView,
} from "@tablekeep/shadow";

/** The last version of a shadow that was read or announced. */
export interface KnownVersion extends ShadowId {
  readonly version: number;
  /** Nanoseconds since 1970. */
  readonly timeStamp: bigint;
  /** When its deletion was found, in nanoseconds since 1970. */
  readonly deletedAt?: bigint;
}

/** Stores versions, so that changes since the last run are announced after a start. */
export interface VersionStore {
  /** Returns the stored versions; undefined if the first poll was never completed. */
  load(signal: AbortSignal): Promise<readonly KnownVersion[] | undefined>;
  /** Stores versions, in place of earlier ones of their shadows. */
  save(versions: readonly KnownVersion[], signal: AbortSignal): Promise<void>;
  remove(shadows: readonly ShadowId[], signal: AbortSignal): Promise<void>;
  /** Stores that the first read of the table is complete. */
  complete(signal: AbortSignal): Promise<void>;
  /** Resolves once all consequences of the changes so far are stored. Their versions are stored after that. */
  settled(): Promise<void>;
}

/** Dependencies of the polling. */
export interface PolledChangesOptions {
  readonly manager: Pick<ShadowManager, "search" | "get">;
  /** Whether this server is writing to a shadow: the write announces its own change. @default it never is */
  readonly isWriting?: (shadow: ShadowName) => boolean;
  /** Milliseconds from the end of one read of the table to the start of the next. */
  readonly everyMs: number;
  /** @default not stored: shadows found by the first poll are not announced */
  readonly versions?: VersionStore;
  /** Called after each read of the table, with its error if it failed. */
  readonly onRead?: (error?: unknown) => void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shadows whose versions are remembered. @default 100,000 */
  readonly maxShadows?: number;
}

/** The number of shadows that are read at a time, and of changes whose versions are stored at a time. */
const pageSize = 1_000;

/**
 * Announces changes by other writers, which it finds by reading the whole table repeatedly: the newest version of each shadow, without the one before,
 * and deletions. Versions that are replaced between two polls are not announced. With stored versions, a crash repeats announcements and loses none.
 */
export class PolledChanges {
  readonly #feed: ChangeFeed;
  readonly #options: PolledChangesOptions;
  readonly #known = new Map<string, KnownVersion>();
  /** The versions that are not stored yet. */
  readonly #changed = new Map<string, KnownVersion>();
  readonly #closing = new AbortController();
  readonly #stop: () => void;
  #isLoaded: boolean;
  #isFirst = true;
  #running: Promise<void> = Promise.resolve();

  constructor(feed: ChangeFeed, options: PolledChangesOptions) {
    this.#feed = feed;
    this.#options = options;
    this.#isLoaded = options.versions === undefined;
    this.#stop = feed.listen((change) => this.#announced(change));
  }

  /** Starts polling. Shadows found by the first poll are not announced. */
  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#stop();
    this.#closing.abort();
    await this.#running;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { clock, logger, everyMs, onRead } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#load();
        await this.#read();
        onRead?.();
      } catch (error) {
        if (signal.aborted) return;
        logger.warn("could not poll shadows; trying again", { error });
        onRead?.(error);
      }
      await sleep(clock, everyMs, signal, { background: true }).catch(() => undefined);
    }
  }

  /** Reads what the last run has stored, once, and repeats the deletions that it may not have announced. */
  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    const stored = await this.#options.versions?.load(this.#closing.signal);
    this.#isFirst = stored === undefined;
    this.#isLoaded = true;
    for (const known of stored ?? []) {
      this.#known.set(keyOf(known), known);
      if (known.deletedAt !== undefined) this.#publishDeleted(known, known.deletedAt);
    }
  }

  async #read(): Promise<void> {
    const { manager, maxShadows = 100_000, versions } = this.#options;
    const { signal } = this.#closing;
    const before = new Map(this.#known);
    const seen = new Set<string>();
    let token: string | undefined;
    do {
      await this.#keep();
      const page = await manager.search({ query: "version exists", limit: pageSize, token }, { signal });
      for (const view of page.shadows) {
        seen.add(keyOf(view));
        if (seen.size > maxShadows)
          throw new Error(`the table has more than ${maxShadows} shadows: use its stream instead of polling`);
        this.#found(view);
      }
      token = page.token;
    } while (token !== undefined);
    for (const [key, known] of before) {
      if (!seen.has(key)) await this.#missing(key, known);
      if (this.#changed.size >= pageSize) await this.#keep();
    }
    await this.#keep();
    if (this.#isFirst) await versions?.complete(signal);
    this.#isFirst = false;
  }

  #found(view: ShadowView): void {
    const { id, name, version, timeStamp } = view;
    if (this.#options.isWriting?.(view) === true) return;
    const known = this.#known.get(keyOf(view));
    // A page may be older than a change announced since. A lower version is a change only if its time is later.
    const isNews =
      known === undefined ||
      version > known.version ||
      (version < known.version && timeStamp > known.timeStamp);
    if (!isNews) return;
    if (this.#isFirst && known === undefined) this.#know({ id, name, version, timeStamp });
    else
      this.#feed.publish({
        id,
        name,
        kind: "updated",
        version,
        update: { current: view, changes: [], written: true },
      });
  }

  /** Handles a shadow that the poll did not return: it was deleted, is corrupt, or was changed during the poll. */
  async #missing(key: string, known: KnownVersion): Promise<void> {
    const { isWriting, clock, versions } = this.#options;
    const isSame = () => isWriting?.(known) !== true && this.#known.get(key) === known;
    if (!isSame()) return;
    // A page that was read before the deletion may still arrive, so the shadow is dropped one read later.
    if (known.deletedAt !== undefined) {
      this.#known.delete(key);
      return;
    }
    if ((await this.#isThere(known)) || !isSame()) return;
    const deletedAt = BigInt(Math.floor(clock.now())) * 1_000_000n;
    // Stored before it is announced: if it is announced again after a crash, it has the same time.
    await versions?.save([{ ...known, deletedAt }], this.#closing.signal);
    if (isSame()) this.#publishDeleted(known, deletedAt);
  }

  async #isThere({ id, name }: ShadowId): Promise<boolean> {
    try {
      return (await this.#options.manager.get({ id, name }, { signal: this.#closing.signal })) !== undefined;
    } catch (error) {
      // The search has left it out, and logged it.
      if (isShadowError(error, "SHADOW_ITEM_CORRUPT") || isShadowError(error, "SHADOW_VERSION_UNSAFE"))
        return true;
      throw error;
    }
  }

  #publishDeleted({ id, name, version }: KnownVersion, timeStamp: bigint): void {
    this.#feed.publish({ id, name, kind: "deleted", version, deletion: { version, timeStamp } });
  }

  /** Every announced change, by this server or found by polling. */
  #announced(change: ShadowChange): void {
    const { id, name, version } = change;
    if (change.kind === "updated") {
      const { timeStamp } = change.update.current;
      this.#know({ id, name, version, timeStamp });
    } else {
      const { timeStamp } = change.deletion;
      this.#know({ id, name, version, timeStamp, deletedAt: timeStamp });
    }
  }

  #know(known: KnownVersion): void {
    this.#known.set(keyOf(known), known);
    if (this.#options.versions !== undefined) this.#changed.set(keyOf(known), known);
  }

  /** Stores the versions that were announced. */
  async #keep(): Promise<void> {
    const { versions } = this.#options;
    const changed = [...this.#changed.values()];
    if (versions === undefined || changed.length === 0) return;
    const { signal } = this.#closing;
    await versions.settled();
    const isDeleted = ({ deletedAt }: KnownVersion) => deletedAt !== undefined;
    await versions.save(
      changed.filter((known) => !isDeleted(known)),
      signal,
    );
    await versions.remove(changed.filter(isDeleted), signal);
    for (const known of changed)
      if (this.#changed.get(keyOf(known)) === known) this.#changed.delete(keyOf(known));
  }
}

function keyOf({ id, name = "" }: ShadowName): string {
  return JSON.stringify([id, name]);
}
