import type { CallOptions } from "@tablekeep/core";
import type { JournalChanges, UnreadableItem } from "@tablekeep/journal/changes";
import { positionOutdated } from "../feed-error.ts";
import { countEvents, type FeedPage, refName } from "../pages/page.ts";
import { isInRange, type SliceRange, sliceOf, slicesInRange } from "../pages/slices.ts";
import type { Checkpoint, FeedRecord } from "../store/feed-record.ts";
import type { FeedStore } from "../store/feed-store.ts";
import type { ChangeBatch } from "../stream/change-source.ts";
import { isRef, SliceWriter } from "./slice-writer.ts";
import { StreamProgress } from "./stream-progress.ts";
import { UnreadableCount } from "./unreadable-items.ts";
import { type PendingWrite, pendingWrite, WriteOrder } from "./write-order.ts";

/** Dependencies of a sequencer. */
export interface SequencerContext {
  readonly store: FeedStore;
  readonly changes: JournalChanges;
  readonly now: () => number;
  readonly windowMs: number;
  /** Called with the number of events of each page that was written. */
  readonly onFed: (events: number) => void;
}

/** How often a checkpoint is stored while nothing is written to the journal, in milliseconds of the stream. */
const idleCheckpointMs = 60_000;
/** The number of remembered writes above which old ones are dropped. */
const maxSeen = 10_000;
/** The number of writes of an id that a sweep reads before it writes them to pages. */
const writesAtOnce = 1000;

/**
 * Turns changes into pages. Any number of sequencers may run at the same time, and each may be killed between any two requests: conditional
 * puts assign the positions, and everything else is rebuilt from the table. Follows the model in `simulation/feed`.
 */
export class Sequencer {
  readonly #context: SequencerContext;
  readonly #order: WriteOrder;
  readonly #slices: readonly SliceWriter[];
  readonly #progress = new StreamProgress();
  /** Writes that are in pages, but whose stream records have not been read yet, with the times of the pages. */
  readonly #seen = new Map<string, number>();
  /** Items that the sweep could not read. */
  readonly #unreadable = new UnreadableCount();
  #record: FeedRecord;
  #checkpoint: Checkpoint;
  /** Whether the stream has shown writes to the journal since the last checkpoint. It also shows the feed's own items. */
  #hasWrites = false;

  private constructor(context: SequencerContext, record: FeedRecord, checkpoint: Checkpoint) {
    this.#context = context;
    this.#record = record;
    this.#checkpoint = checkpoint;
    const slices = Array.from(
      { length: record.slices },
      (_unused, slice) =>
        new SliceWriter(slice, {
          store: context.store,
          generation: record.generation,
          now: context.now,
          isBelowCheckpoint: (shard, sequence) => sequence <= (this.#checkpoint.shards.get(shard) ?? -1n),
        }),
    );
    this.#slices = slices;
    this.#order = new WriteOrder(context.windowMs, (write) => this.#sliceOf(write).add(write));
  }

  /** Reads the checkpoint and the newest pages, and continues where the last sequencer stopped. */
  static async start(context: SequencerContext, record: FeedRecord, call: CallOptions): Promise<Sequencer> {
    const { generation, arn } = record;
    const checkpoint = await context.store.readCheckpoint(generation, arn, call);
    const sequencer = new Sequencer(context, record, checkpoint);
    await Promise.all(sequencer.#slices.map((slice) => sequencer.#readBack(slice, call)));
    sequencer.#order.seenUntil = checkpoint.seenUntil;
    // The pages of an old generation are removed in the background, so the pages that were read may be the rest of them.
    const stored = await context.store.readRecord(call);
    if (stored !== undefined && stored.generation > generation)
      throw positionOutdated(generation, stored.generation);
    return sequencer;
  }

  get checkpoint(): Checkpoint {
    return this.#checkpoint;
  }

  get record(): FeedRecord {
    return this.#record;
  }

  /** The time up to which every change is in pages; 0 if that is not known. */
  get fedUntil(): number {
    const isWaiting = this.#order.held.length > 0 || this.#slices.some(({ buffered }) => buffered.length > 0);
    return isWaiting ? 0 : this.#progress.seenUntil;
  }

  #sliceOf({ persistenceId }: Pick<PendingWrite, "persistenceId">): SliceWriter {
    return this.#slices[sliceOf(persistenceId, this.#record.slices)] as SliceWriter;
  }

  /** Reads pages backwards, from the newest to the first whose records are all below the checkpoint. */
  async #readBack(slice: SliceWriter, call: CallOptions): Promise<void> {
    const { store, windowMs } = this.#context;
    const { generation, state, sweptAt } = this.#record;
    const { shards, seenUntil, tails } = this.#checkpoint;
    const tail = await store.pages.count(generation, slice.slice, tails[slice.slice] ?? 0, call);
    let isNewest = true;
    for await (const page of store.pages.backwards(generation, slice.slice, tail, call)) {
      if (isNewest) slice.follow(page);
      isNewest = false;
      // A sweep reads the pages itself, range by range.
      if (state === "sweeping") return;
      const isBelow = [...page.hi].every(([shard, sequence]) => sequence <= (shards.get(shard) ?? -1n));
      if (!isBelow || this.isAfterSweep) for (const ref of page.refs) this.#seen.set(refName(ref), page.at);
      for (const ref of page.refs.toReversed()) this.#order.warm(ref, page.at);
      // Compared with how far the stream was read, not with the clock, which is far ahead of a backlog. Writes that a sweep added are looked up when the stream shows them.
      const until = this.isAfterSweep ? sweptAt : seenUntil;
      if ((isBelow || this.isAfterSweep) && page.at + 2 * windowMs < until) return;
    }
  }

  /** True while the stream may still show writes that a sweep has added. Call {@link recall} with each batch before {@link take}. */
  get isAfterSweep(): boolean {
    const { state, sweptAt } = this.#record;
    return state === "live" && this.#progressUntil <= sweptAt + 2 * this.#context.windowMs;
  }

  get #progressUntil(): number {
    return Math.max(this.#checkpoint.seenUntil, this.#progress.seenUntil);
  }

  /** Reads all pages, and remembers the writes of these batches that they already contain, so that they are not added twice. */
  async recall(batches: readonly ChangeBatch[], call: CallOptions): Promise<void> {
    const { store, changes } = this.#context;
    const { generation } = this.#record;
    const names = new Set<string>();
    for (const { records } of batches)
      for (const record of records)
        for (const write of record.writes ?? changes.writesOf(record)) names.add(refName(write));
    if (names.size === 0) return;
    for (const { slice, tail } of this.#slices) {
      const pages = store.pages.forwards({ generation, slice, number: 0 }, tail, call);
      for await (const { refs, at } of pages)
        for (const ref of refs) if (names.has(refName(ref))) this.#seen.set(refName(ref), at);
    }
  }

  /** Writes the changes that were read from the stream to pages. Returns whether there are new pages. */
  async take(batch: ChangeBatch, call: CallOptions): Promise<boolean> {
    for (const record of batch.records) {
      for (const write of record.writes ?? this.#context.changes.writesOf(record)) {
        this.#hasWrites = true;
        const pending = pendingWrite(write, record);
        if (this.#isSeen(pending)) continue;
        // Most writes follow the last known one of their id, and need no read.
        if (this.#order.needsNeighbors(pending)) await this.#readNeighbors(pending, call);
        this.#order.place(pending);
      }
    }
    this.#progress.add(batch);
    this.#order.seenUntil = Math.max(this.#order.seenUntil, this.#progress.seenUntil);
    this.#order.settle();
    const hasPages = this.#slices.some(({ buffered }) => buffered.length > 0);
    await this.flush(call);
    if (this.#seen.size > maxSeen) this.#forgetSeen();
    return hasPages;
  }

  /** Forgets writes so old that their records have been read, or were never in the stream. */
  #forgetSeen(): void {
    const before = this.#progress.seenUntil - 2 * this.#context.windowMs;
    for (const [name, at] of this.#seen) if (at < before) this.#seen.delete(name);
  }

  /** Whether a page already contains this write, whose record has now been read. */
  #isSeen(write: PendingWrite): boolean {
    if (this.#seen.size === 0 || !this.#seen.delete(refName(write))) return false;
    if (this.#order.isAbove(write)) this.#order.note(write, write.createdAt);
    return true;
  }

  async #readNeighbors(write: PendingWrite, call: CallOptions): Promise<void> {
    const { before, isThere } = await this.#context.changes.neighbors(write, call);
    write.before = before;
    // The id may have been purged, and have begun again since.
    if (!isThere) write.late = true;
  }

  /** Writes everything that is buffered to pages. */
  async flush(call: CallOptions): Promise<void> {
    await Promise.all(
      this.#slices.map(async (slice) => {
        while (slice.buffered.length > 0) {
          const fed = await slice.flush(false, call);
          if (fed === undefined) await this.#absorb(slice, call);
          else this.#context.onFed(countEvents(fed));
        }
      }),
    );
  }

  /** Another sequencer wrote the page first: drops the writes that its pages contain. */
  async #absorb(slice: SliceWriter, call: CallOptions): Promise<void> {
    for (const page of await slice.absorb(call)) this.#absorbPage(slice, page);
    this.#order.settle();
  }

  #absorbPage(slice: SliceWriter, page: FeedPage): void {
    for (const ref of page.refs) {
      const isSame = isRef(ref);
      const found = slice.drop(ref, isSame) ?? this.#order.removeHeld(isSame);
      // The stream has shown its record, or will.
      if (found?.shard === undefined) this.#seen.set(refName(ref), page.at);
      this.#order.note({ ...ref, writer: found?.writer ?? 0 }, page.at);
      if (ref.first !== 1) continue;
      for (const write of this.#order.held)
        if (write.persistenceId === ref.persistenceId && write.first !== 1) write.late = true;
    }
  }

  /** Stores how far the stream is in pages. */
  async raiseCheckpoint(call: CallOptions): Promise<void> {
    const waiting = [...this.#order.held, ...this.#slices.flatMap(({ buffered }) => buffered)];
    const tails = this.#slices.map(({ tail }) => tail);
    const to = this.#progress.raised(this.#checkpoint, waiting, tails);
    const isOld = to.seenUntil - this.#checkpoint.seenUntil > idleCheckpointMs;
    if (!isOld && (!this.#hasWrites || isSameCheckpoint(to, this.#checkpoint))) return;
    this.#hasWrites = waiting.length > 0;
    this.#checkpoint = await this.#context.store.raiseCheckpoint(this.#record.generation, to, call);
  }

  /** Begins to sweep a range: remembers only which of its writes are in pages. */
  async beginRange(range: SliceRange, call: CallOptions): Promise<void> {
    const { generation, slices } = this.#record;
    this.#seen.clear();
    for (const slice of slicesInRange(range, slices)) {
      const { tail } = this.#slices[slice] as SliceWriter;
      const pages = this.#context.store.pages.forwards({ generation, slice, number: 0 }, tail, call);
      for await (const { refs, at } of pages)
        for (const ref of refs) if (isInRange(ref.persistenceId, range)) this.#seen.set(refName(ref), at);
    }
  }

  /**
   * Adds the writes of an id that the feed lacks. They must be read after the pages they are compared with, so they are read again after a
   * conflict. Returns false if the sweep was ended meanwhile.
   */
  async sweepId(persistenceId: string, call: CallOptions): Promise<boolean> {
    const { changes, now, store } = this.#context;
    const slice = this.#sliceOf({ persistenceId });
    for (;;) {
      const createdAt = now();
      let isFed = true;
      const unreadable = new UnreadableCount();
      const onUnreadable = (item: UnreadableItem) => unreadable.add(item);
      for await (const write of changes.writesOfId(persistenceId, { ...call, onUnreadable })) {
        if (!this.#seen.has(refName(write))) slice.add({ ...write, createdAt });
        // The feed already has a later write of the id.
        else for (const earlier of slice.buffered) earlier.late = true;
        if (slice.buffered.length < writesAtOnce) continue;
        isFed = await this.#flushSwept(slice, createdAt, call);
        if (!isFed) break;
      }
      if (isFed && (await this.#flushSwept(slice, createdAt, call))) {
        this.#unreadable.addAll(unreadable);
        return true;
      }
      slice.replace([]);
      await this.#absorb(slice, call);
      this.#record = (await store.readRecord(call)) ?? this.#record;
      if (this.#record.state !== "sweeping") return false;
    }
  }

  /** Writes the writes that a sweep has found to pages. Returns false after a conflict. */
  async #flushSwept(slice: SliceWriter, createdAt: number, call: CallOptions): Promise<boolean> {
    while (slice.buffered.length > 0) {
      const fed = await slice.flush(true, call);
      if (fed === undefined) return false;
      this.#context.onFed(countEvents(fed));
      for (const write of fed) this.#seen.set(refName(write), createdAt);
    }
    return true;
  }

  /** Records that the feed contains everything that was in the journal when the sweep began. */
  async endSweep(call: CallOptions): Promise<void> {
    const { store, now } = this.#context;
    if (this.#record.state !== "sweeping") return;
    // The stream is then read from its oldest record: continuing from the old checkpoint would only find the same gap again.
    const none = { ...this.#checkpoint, shards: new Map(), times: new Map(), seenUntil: 0 };
    this.#checkpoint = await store.raiseCheckpoint(this.#record.generation, none, call);
    this.#order.seenUntil = 0;
    const { unreadable: _before, ...record } = this.#record;
    const { found: unreadable } = this.#unreadable;
    const sweptAt = Math.floor(now());
    const to: FeedRecord = { ...record, state: "live", sweptAt, ...(unreadable && { unreadable }) };
    this.#record = await store.changeRecord(this.#record, to, call);
  }
}

function isSameCheckpoint(one: Checkpoint, two: Checkpoint): boolean {
  if (one.shards.size !== two.shards.size) return false;
  for (const [shard, sequence] of one.shards) if (two.shards.get(shard) !== sequence) return false;
  return true;
}
