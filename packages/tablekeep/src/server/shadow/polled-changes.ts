import { type Clock, type Logger, sleep } from "@tablekeep/core";
import type { ChangeFeed, ShadowChange, ShadowManager, ShadowName, ShadowView } from "@tablekeep/shadow";

/** Dependencies of the polling. */
export interface PolledChangesOptions {
  readonly manager: Pick<ShadowManager, "search" | "get">;
  /** Whether this server writes to a shadow now: its own change is announced by the write. */
  readonly isWriting: (shadow: ShadowName) => boolean;
  /** Milliseconds from the end of one reading of the table to the start of the next. */
  readonly everyMs: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Shadows whose versions are remembered. @default 100,000 */
  readonly maxShadows?: number;
}

/** The last version of a shadow that was read or announced. */
interface Known {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly timeStamp: bigint;
  /** Whether it was deleted: forgotten after the next reading. */
  readonly isDeleted: boolean;
}

/**
 * Announces the changes of other writers by reading the whole table again and again: the newest version of each shadow, without the one before,
 * and deletions. Versions that are replaced between two readings are not announced.
 */
export class PolledChanges {
  readonly #feed: ChangeFeed;
  readonly #options: PolledChangesOptions;
  readonly #known = new Map<string, Known>();
  readonly #closing = new AbortController();
  readonly #stop: () => void;
  #running: Promise<void> = Promise.resolve();

  constructor(feed: ChangeFeed, options: PolledChangesOptions) {
    this.#feed = feed;
    this.#options = options;
    this.#stop = feed.listen((change) => this.#announced(change));
  }

  /** Starts the readings. What is there at the first one is not news. */
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
    const { clock, logger, everyMs } = this.#options;
    const { signal } = this.#closing;
    let isFirst = true;
    while (!signal.aborted) {
      try {
        await this.#read(isFirst);
        isFirst = false;
      } catch (error) {
        if (!signal.aborted) logger.warn("shadows not polled; trying again", { error });
      }
      await sleep(clock, everyMs, signal, { background: true }).catch(() => undefined);
    }
  }

  async #read(isFirst: boolean): Promise<void> {
    const { manager, maxShadows = 100_000 } = this.#options;
    const { signal } = this.#closing;
    const before = new Map(this.#known);
    const seen = new Set<string>();
    let token: string | undefined;
    do {
      const page = await manager.search({ query: "version exists", limit: 1_000, token }, { signal });
      for (const view of page.shadows) {
        seen.add(keyOf(view));
        if (seen.size > maxShadows)
          throw new Error(`the table has more than ${maxShadows} shadows: use its stream instead of polling`);
        this.#found(view, isFirst);
      }
      token = page.token;
    } while (token !== undefined);
    for (const [key, known] of before) if (!seen.has(key)) await this.#missing(key, known);
  }

  #found(view: ShadowView, isFirst: boolean): void {
    const { id, name, version, timeStamp } = view;
    if (this.#options.isWriting(view)) return;
    const known = this.#known.get(keyOf(view));
    // A page may be older than what was announced since: a lower version is news only if it is later.
    const isNews =
      known === undefined ||
      version > known.version ||
      (version < known.version && timeStamp > known.timeStamp);
    if (!isNews) return;
    if (isFirst && known === undefined)
      this.#known.set(keyOf(view), { id, name, version, timeStamp, isDeleted: false });
    else
      this.#feed.publish({
        id,
        name,
        kind: "updated",
        version,
        update: { current: view, changes: [], written: true },
      });
  }

  /** A shadow that was not among those read: deleted, corrupt, or changed meanwhile. */
  async #missing(key: string, known: Known): Promise<void> {
    const { manager, isWriting, clock } = this.#options;
    if (this.#known.get(key) !== known) return;
    if (known.isDeleted) {
      this.#known.delete(key);
      return;
    }
    const { id, name, version } = known;
    const view = await manager.get({ id, name }, { signal: this.#closing.signal });
    if (view !== undefined || isWriting(known) || this.#known.get(key) !== known) return;
    const deletion = { version, timeStamp: BigInt(Math.floor(clock.now())) * 1_000_000n };
    this.#feed.publish({ id, name, kind: "deleted", version, deletion });
  }

  /** Every announced change, by this server or found by polling. */
  #announced(change: ShadowChange): void {
    const { id, name, version, kind } = change;
    const { timeStamp } = kind === "updated" ? change.update.current : change.deletion;
    this.#known.set(keyOf(change), { id, name, version, timeStamp, isDeleted: kind === "deleted" });
  }
}

function keyOf({ id, name = "" }: ShadowName): string {
  return JSON.stringify([id, name]);
}
