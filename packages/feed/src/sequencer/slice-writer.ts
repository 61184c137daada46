import type { CallOptions } from "@tablekeep/core";
import { positionOutdated } from "../feed-error.ts";
import { countEvents, type FeedPage, type FeedRef, refBytes, refName } from "../pages/page.ts";
import type { FeedStore } from "../store/feed-store.ts";
import type { PendingWrite } from "./write-order.ts";

/** A page ends after this many writes or bytes, whichever is first. */
const maxRefs = 100;
const maxBytes = 32 * 1024;

/** Dependencies of a slice writer. */
export interface SliceContext {
  readonly store: FeedStore;
  readonly generation: number;
  readonly now: () => number;
  /** Whether every record up to this one is known to be in pages, so that new pages need not name it. */
  readonly isBelowCheckpoint: (shard: string, sequence: bigint) => boolean;
}

/** Appends writes to the pages of one slice. */
export class SliceWriter {
  readonly slice: number;
  readonly #context: SliceContext;
  #buffer: PendingWrite[] = [];
  #tail = 0;
  #end = 0;
  #hi: ReadonlyMap<string, bigint> = new Map();
  #at = 0;
  /** Names the put of the newest page. */
  #by: string | undefined;

  constructor(slice: number, context: SliceContext) {
    this.slice = slice;
    this.#context = context;
  }

  /** The number of pages, as far as known. */
  get tail(): number {
    return this.#tail;
  }

  /** Writes that are in no page yet. */
  get buffered(): readonly PendingWrite[] {
    return this.#buffer;
  }

  add(write: PendingWrite): void {
    this.#buffer.push(write);
  }

  /** Continues after this page: it is the newest that is known. Throws `FEED_POSITION_OUTDATED` for one that ends the slice. */
  follow(page: FeedPage): void {
    if (page.followedBy !== undefined) throw positionOutdated(this.#context.generation, page.followedBy);
    this.#tail = page.number + 1;
    this.#end = page.first + page.count;
    this.#hi = page.hi;
    this.#at = page.at;
    this.#by = page.by;
  }

  /** Replaces everything that is buffered. */
  replace(writes: readonly PendingWrite[]): void {
    this.#buffer = [...writes];
  }

  /**
   * Writes one page of what is buffered. Returns the writes that are in it, or undefined if another sequencer has the number: then its
   * pages must be absorbed.
   */
  async flush(sweeping: boolean, call: CallOptions): Promise<readonly PendingWrite[] | undefined> {
    const { store, generation } = this.#context;
    const writes = this.#firstOfBuffer();
    const page = this.#newPage(writes);
    const key = { generation, slice: this.slice, number: this.#tail };
    const by = await store.pages.append(key, page, sweeping, call);
    if (by === undefined) return undefined;
    this.#buffer.splice(0, writes.length);
    this.follow({ ...page, by });
    return writes;
  }

  #firstOfBuffer(): PendingWrite[] {
    const writes: PendingWrite[] = [];
    let bytes = 0;
    for (const write of this.#buffer) {
      bytes += refBytes(write);
      if (writes.length > 0 && (writes.length >= maxRefs || bytes > maxBytes)) break;
      writes.push(write);
    }
    return writes;
  }

  #newPage(writes: readonly PendingWrite[]): Omit<FeedPage, "by"> {
    const hi = new Map<string, bigint>();
    // Cumulative, so that a reader of pages knows how far back it has to go.
    for (const [shard, sequence] of this.#hi)
      if (!this.#context.isBelowCheckpoint(shard, sequence)) hi.set(shard, sequence);
    for (const { shard, sequence } of writes) {
      if (shard === undefined || sequence === undefined) continue;
      const before = hi.get(shard);
      if (before === undefined || before < sequence) hi.set(shard, sequence);
    }
    return {
      number: this.#tail,
      first: this.#end,
      count: countEvents(writes),
      refs: writes,
      hi,
      // Pages are searched by time, so the times never decrease, whatever the clock of this process says.
      at: Math.max(this.#at, Math.floor(this.#context.now())),
      ...(this.#by !== undefined && { after: this.#by }),
    };
  }

  /** Returns the pages that others have written meanwhile, and continues after them. */
  async absorb(call: CallOptions): Promise<FeedPage[]> {
    const { store, generation } = this.#context;
    const pages: FeedPage[] = [];
    for (;;) {
      const page = await store.pages.read({ generation, slice: this.slice, number: this.#tail }, call);
      if (page === undefined) return pages;
      this.follow(page);
      pages.push(page);
    }
  }

  /** Removes a write that another sequencer has added, and flags those that now follow a later one. Returns it if it was buffered. */
  drop(ref: FeedRef, isSame: (write: PendingWrite) => boolean): PendingWrite | undefined {
    const at = this.#buffer.findIndex(isSame);
    const [dropped] = at < 0 ? [] : this.#buffer.splice(at, 1);
    for (const [index, write] of this.#buffer.entries()) {
      if (write.persistenceId !== ref.persistenceId || write.first === 1) continue;
      const isOfEarlierLife = ref.first === 1 && (at < 0 || index < at);
      if (isOfEarlierLife || write.first <= ref.last) write.late = true;
    }
    return dropped;
  }
}

/** Returns whether a pending write is the one that a page contains. */
export function isRef(ref: FeedRef): (write: PendingWrite) => boolean {
  const name = refName(ref);
  return (write) => refName(write) === name;
}
