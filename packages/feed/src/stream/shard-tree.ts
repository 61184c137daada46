import type { ReadChangesOptions } from "./change-source.ts";
import type { ShardList } from "./list-shards.ts";
import { endOfTime, isKept, ShardReader } from "./shard-reader.ts";
import { trimmedError } from "./stream-errors.ts";
import type { StreamSettings } from "./stream-options.ts";

/** The shards of a stream. A shard is read once its parent has been read to its end. */
export class ShardTree {
  readonly #settings: StreamSettings;
  readonly #from: ReadonlyMap<string, bigint>;
  readonly #seenUntil: ReadonlyMap<string, number>;
  readonly #readers = new Map<string, ShardReader>();
  readonly #parents = new Map<string, string | undefined>();
  /** Shards that wait for their parent. */
  readonly #waiting = new Set<string>();
  /** Shards of the checkpoint that are no longer listed. */
  readonly #gone = new Set<string>();
  #enabled = true;

  constructor(
    settings: StreamSettings,
    from: ReadonlyMap<string, bigint>,
    { seenUntil }: Pick<ReadChangesOptions, "seenUntil">,
  ) {
    this.#settings = settings;
    this.#from = from;
    // 0 is the position of a shard about which nothing was known.
    this.#seenUntil = new Map([...(seenUntil ?? [])].filter(([, time]) => time > 0));
  }

  /** The shards that are being read. */
  get open(): readonly ShardReader[] {
    return [...this.#readers.values()].filter(({ closed }) => !closed);
  }

  /** Whether the stream gets no further records, and all have been read. */
  get isComplete(): boolean {
    return !this.#enabled && this.#waiting.size === 0 && this.open.length === 0;
  }

  /** Whether a shard whose children are unknown has ended. */
  get lacksChildren(): boolean {
    return this.open.some(({ id, ended }) => ended && !this.#hasChildren(id));
  }

  /** Adopts the current list of shards. Returns the known ones that are no longer listed. */
  update({ shards, enabled }: ShardList): string[] {
    const listed = new Set(shards.map(({ id }) => id));
    this.#enabled = enabled;
    const gone = this.#removeGone(listed);
    for (const { id, parent } of shards) {
      if (this.#parents.has(id)) continue;
      this.#parents.set(id, parent !== undefined && listed.has(parent) ? parent : undefined);
      this.#waiting.add(id);
    }
    return gone;
  }

  /**
   * Starts the shards whose parents have been read, and closes those that have been read and whose children are known. Returns the
   * shards whose positions this changed.
   */
  advance(): ShardReader[] {
    const changed: ShardReader[] = [];
    for (let count = -1; count < changed.length; ) {
      count = changed.length;
      changed.push(...this.#close(), ...this.#start());
    }
    return changed;
  }

  #close(): ShardReader[] {
    const finished = this.open.filter(
      ({ id, ended, page }) => ended && page.length === 0 && (this.#hasChildren(id) || !this.#enabled),
    );
    for (const reader of finished) reader.closed = true;
    return finished;
  }

  #start(): ShardReader[] {
    const started: ShardReader[] = [];
    for (const id of this.#waiting) {
      const parent = this.#parents.get(id);
      const before = parent === undefined ? undefined : this.#readers.get(parent);
      if (parent !== undefined && before?.closed !== true) continue;
      this.#waiting.delete(id);
      started.push(this.#readerOf(id, parent, before));
    }
    return started;
  }

  #readerOf(id: string, parent: string | undefined, before: ShardReader | undefined): ShardReader {
    const sequence = this.#from.get(id);
    const known = this.#seenUntil.get(id);
    // A child's records come after everything in its parent.
    const seenUntil = known ?? before?.seenUntil;
    const reader = new ShardReader(this.#settings, id, parent === undefined ? [] : [parent], {
      ...(sequence !== undefined && { sequence }),
      ...(seenUntil !== undefined && seenUntil !== endOfTime && { seenUntil }),
    });
    if (known === endOfTime) {
      reader.ended = true;
      reader.closed = this.#hasChildren(id) || !this.#enabled;
    }
    this.#readers.set(id, reader);
    return reader;
  }

  #hasChildren(id: string): boolean {
    return [...this.#parents.values()].includes(id);
  }

  /** Throws `FEED_STREAM_TRIMMED` if a shard disappeared before all its records had been read. */
  #removeGone(listed: ReadonlySet<string>): string[] {
    const known = new Set([...this.#from.keys(), ...this.#seenUntil.keys(), ...this.#parents.keys()]);
    const gone = [...known].filter((id) => !listed.has(id) && !this.#gone.has(id));
    for (const id of gone) {
      const reader = this.#readers.get(id);
      if (reader?.closed !== true) this.#checkRead(id, reader);
      this.#gone.add(id);
      this.#forget(id);
    }
    return gone;
  }

  /** A reader runs for months, and shards come and go: it keeps nothing about removed ones. */
  #forget(id: string): void {
    this.#readers.delete(id);
    this.#waiting.delete(id);
    this.#parents.delete(id);
    for (const [child, parent] of this.#parents) if (parent === id) this.#parents.set(child, undefined);
    if (!this.#from.has(id) && !this.#seenUntil.has(id)) this.#gone.delete(id);
  }

  #checkRead(id: string, reader: ShardReader | undefined): void {
    const { arn, clock, retentionMs } = this.#settings;
    const sequence = reader?.position.sequence ?? this.#from.get(id);
    const until = reader?.seenUntil ?? this.#seenUntil.get(id);
    // Nothing was ever read from it: the caller has not reached its records.
    if (reader !== undefined && sequence === undefined && until === undefined) return;
    if (until === endOfTime || isKept(until, clock.now(), retentionMs)) return;
    throw trimmedError(arn, id, sequence);
  }
}
