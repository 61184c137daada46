import { batchGet, batchWrite, newWriteId } from "@tablekeep/client";
import {
  type CallOptions,
  type Clock,
  type DynamoPort,
  type Item,
  isDynamoError,
  type Key,
  type Random,
} from "@tablekeep/core";
import type { JournalChanges } from "@tablekeep/journal/changes";
import { decodePage, encodePage, type FeedPage } from "../pages/page.ts";
import {
  type Checkpoint,
  decodeCheckpoint,
  decodeRecord,
  encodeCheckpoint,
  encodeRecord,
  type FeedRecord,
} from "./feed-record.ts";

/** What a feed's items are read and written with. */
export interface StoreContext {
  readonly port: DynamoPort;
  readonly changes: JournalChanges;
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly deadlineMs: number;
}

/** How many pages share a partition. */
const pagesPerPartition = 1000;
/** How many pages one request reads at most. */
const pagesAtOnce = 25;

/** The condition that a record is still as it was read. */
const recordCondition =
  "generation = :generation AND arn = :arn AND feed_state = :state AND swept_at = :swept";

function recordValues({ generation, arn, state, sweptAt }: FeedRecord): Item {
  return {
    ":generation": { N: String(generation) },
    ":arn": { S: arn },
    ":state": { S: state },
    ":swept": { N: String(sweptAt) },
  };
}

/** Who sequences a feed, and until when, in milliseconds. */
export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** Identifies a page. */
export interface PageKey {
  readonly generation: number;
  readonly slice: number;
  readonly number: number;
}

/** The items of one feed, in the journal's table. */
export class FeedStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  get #table(): string {
    return this.#context.changes.table;
  }

  #call(options: CallOptions = {}): CallOptions {
    return { signal: options.signal, deadlineMs: options.deadlineMs ?? this.#context.deadlineMs };
  }

  #key(part: string, number = 0): Key {
    const { changes, name } = this.#context;
    return changes.ownKey(part === "" ? name : `${name}-${part}`, number);
  }

  #pageKey({ generation, slice, number }: PageKey): Key {
    const partition = Math.floor(number / pagesPerPartition);
    return this.#key(`${generation}-${slice}-${partition}`, number % pagesPerPartition);
  }

  async #get(key: Key, options?: CallOptions, consistent = true): Promise<Item | undefined> {
    const input = { TableName: this.#table, Key: key, ConsistentRead: consistent };
    return (await this.#context.port.getItem(input, this.#call(options))).Item;
  }

  /** Puts an item if a condition holds. An answer that is lost counts as a condition that does not hold: the caller reads. */
  async #putIf(
    item: Item,
    condition: string,
    values: Item | undefined,
    options?: CallOptions,
    names?: Record<string, string>,
  ): Promise<boolean> {
    const input = {
      TableName: this.#table,
      Item: item,
      ConditionExpression: condition,
      ...(names !== undefined && { ExpressionAttributeNames: names }),
      ...(values !== undefined && { ExpressionAttributeValues: values }),
    };
    try {
      // Its own success makes its condition fail, so sending it twice does no harm.
      await this.#context.port.putItem(input, { ...this.#call(options), idempotent: true });
      return true;
    } catch (error) {
      if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
      throw error;
    }
  }

  /** Returns the feed's record; undefined if there is no such feed. */
  async readRecord(options?: CallOptions, consistent = true): Promise<FeedRecord | undefined> {
    const item = await this.#get(this.#key(""), options, consistent);
    return item && decodeRecord(item);
  }

  /** Stores the record of a new feed, unless there is one. Returns what is stored. */
  async createRecord(record: FeedRecord, options?: CallOptions): Promise<FeedRecord> {
    const item = { ...this.#key(""), ...encodeRecord(record) };
    const isNew = await this.#putIf(item, "attribute_not_exists(generation)", undefined, options);
    return isNew ? record : ((await this.readRecord(options)) ?? record);
  }

  /** Changes the record if it is still as it was read. Returns what is stored. */
  async changeRecord(from: FeedRecord, to: FeedRecord, options?: CallOptions): Promise<FeedRecord> {
    const item = { ...this.#key(""), ...encodeRecord(to) };
    await this.#putIf(item, recordCondition, recordValues(from), options);
    return (await this.readRecord(options)) ?? to;
  }

  /** Returns the checkpoint of a generation for a stream. That of another stream says nothing. */
  async readCheckpoint(generation: number, arn: string, options?: CallOptions): Promise<Checkpoint> {
    const item = await this.#get(this.#key(`${generation}-checkpoint`), options);
    const none = { version: 0, arn, shards: new Map(), times: new Map(), seenUntil: 0, tails: [] };
    const stored = item && decodeCheckpoint(item);
    if (stored === undefined) return none;
    return stored.arn === arn ? stored : { ...none, version: stored.version, tails: stored.tails };
  }

  /** Stores a checkpoint if the one that it was made of is still stored. Returns what is stored. */
  async raiseCheckpoint(generation: number, to: Checkpoint, options?: CallOptions): Promise<Checkpoint> {
    const version = to.version + 1;
    const next = { ...to, version };
    const item = { ...this.#key(`${generation}-checkpoint`), ...encodeCheckpoint(next) };
    const values = { ":version": { N: String(to.version) } };
    const condition = to.version === 0 ? "attribute_not_exists(version)" : "version = :version";
    const isStored = await this.#putIf(item, condition, to.version === 0 ? undefined : values, options);
    return isStored ? next : this.readCheckpoint(generation, to.arn, options);
  }

  /** Returns the holder of the sequencer's lease and when it ends; undefined if there never was one. */
  async readLease(options?: CallOptions): Promise<Lease | undefined> {
    const item = await this.#get(this.#key("lease"), options);
    return item && { owner: item["holder"]?.S ?? "", until: Number(item["until"]?.N ?? 0) };
  }

  /** Acquires or renews the lease. Returns false if another process has it. */
  async acquireLease(owner: string, now: number, leaseMs: number, options?: CallOptions): Promise<boolean> {
    const item = {
      ...this.#key("lease"),
      holder: { S: owner },
      until: { N: String(Math.floor(now + leaseMs)) },
    };
    const names = { "#until": "until" };
    const values = { ":owner": { S: owner }, ":now": { N: String(Math.floor(now)) } };
    const condition = "attribute_not_exists(holder) OR holder = :owner OR #until < :now";
    return this.#putIf(item, condition, values, options, names);
  }

  /** Releases the lease. */
  async releaseLease(owner: string): Promise<void> {
    const item = { ...this.#key("lease"), holder: { S: owner }, until: { N: "0" } };
    await this.#putIf(item, "holder = :owner", { ":owner": { S: owner } });
  }

  /** Returns a page; undefined if it is not there yet. */
  async readPage(page: PageKey, options?: CallOptions): Promise<FeedPage | undefined> {
    const item = await this.#get(this.#pageKey(page), options);
    return item && decodePage(item, page.slice, page.number);
  }

  /** Returns pages, in the given order; undefined for those that are not there yet. */
  async readPages(
    pages: readonly PageKey[],
    options?: CallOptions,
    consistent = true,
  ): Promise<(FeedPage | undefined)[]> {
    const { port, clock, random } = this.#context;
    const table = this.#table;
    const keys = pages.map((page) => ({ table, key: this.#pageKey(page) }));
    const items = await batchGet(port, keys, { consistent, clock, random, ...this.#call(options) });
    return pages.map((page, at) => {
      const item = items[at];
      return item && decodePage(item, page.slice, page.number);
    });
  }

  /** Returns pages of a slice from the newest to the oldest, beginning below `to`. */
  async *pagesBackwards(
    generation: number,
    slice: number,
    to: number,
    options?: CallOptions,
  ): AsyncGenerator<FeedPage, void, undefined> {
    for (let end = to; end > 0; end -= pagesAtOnce) {
      const start = Math.max(0, end - pagesAtOnce);
      const keys = Array.from({ length: end - start }, (_unused, at) => ({
        generation,
        slice,
        number: end - 1 - at,
      }));
      for (const page of await this.readPages(keys, options)) if (page !== undefined) yield page;
    }
  }

  /** Returns pages of a slice in order, from a number up to the newest, or below `to`. */
  async *pagesForwards(
    { generation, slice, number }: PageKey,
    to: number,
    options?: CallOptions,
  ): AsyncGenerator<FeedPage, void, undefined> {
    for (let start = number; start < to; start += pagesAtOnce) {
      const count = Math.min(pagesAtOnce, to - start);
      const keys = Array.from({ length: count }, (_unused, at) => ({
        generation,
        slice,
        number: start + at,
      }));
      for (const page of await this.readPages(keys, options)) {
        if (page === undefined) return;
        yield page;
      }
    }
  }

  /**
   * Ends a slice of an old generation: a process that still writes to it finds this page. Returns how many pages are before it,
   * which are at least `hint`.
   */
  async endSlice(
    { generation, slice }: Pick<PageKey, "generation" | "slice">,
    hint: number,
    followedBy: number,
    options?: CallOptions,
  ): Promise<number> {
    for (let known = hint; ; ) {
      const tail = await this.tail(generation, slice, known, options);
      // The item itself: a page that is corrupt is removed like any other.
      const last =
        tail === 0
          ? undefined
          : await this.#get(this.#pageKey({ generation, slice, number: tail - 1 }), options);
      if (last?.["followed_by"] !== undefined) return tail - 1;
      const at = Math.floor(this.#context.clock.now());
      const page = { number: tail, first: 0, count: 0, refs: [], hi: new Map(), at, followedBy };
      if (await this.appendPage({ generation, slice, number: tail }, page, false, options)) return tail;
      known = tail;
    }
  }

  /** Returns how many pages of each slice of an old generation are left; undefined before its slices have ended. */
  async readRemoval(generation: number, options?: CallOptions): Promise<readonly number[] | undefined> {
    const item = await this.#get(this.#key(`${generation}-removal`), options);
    return item?.["left"]?.L?.map(({ N }) => Number(N));
  }

  /**
   * Stores how many pages of each slice of an old generation are left: once when it is known (`isFirst`), if another has not done so, and as they
   * become fewer, until the removal is over.
   */
  async writeRemoval(
    generation: number,
    left: readonly number[],
    isFirst: boolean,
    options?: CallOptions,
  ): Promise<void> {
    const counts = { L: left.map((count) => ({ N: String(count) })) };
    const item = { ...this.#key(`${generation}-removal`), left: counts };
    const condition = isFirst ? "attribute_not_exists(#left)" : "attribute_exists(#left)";
    await this.#putIf(item, condition, undefined, options, { "#left": "left" });
  }

  /**
   * Removes an old generation from the record's list if the record is still as it was read, and removes its checkpoint and what is stored about its
   * removal. Returns what is stored.
   */
  async forgetGeneration(
    from: FeedRecord,
    generation: number,
    options?: CallOptions,
  ): Promise<FeedRecord | undefined> {
    const TableName = this.#table;
    const old = (from.old ?? []).filter((each) => each.generation !== generation);
    const marks = ["checkpoint", "removal"].map((name) => ({
      Delete: { TableName, Key: this.#key(`${generation}-${name}`) },
    }));
    const Put = {
      TableName,
      Item: { ...this.#key(""), ...encodeRecord({ ...from, old }) },
      ConditionExpression: recordCondition,
      ExpressionAttributeValues: recordValues(from),
    };
    try {
      await this.#context.port.transactWriteItems(
        { TransactItems: [{ Put }, ...marks] },
        this.#call(options),
      );
    } catch (error) {
      if (!isDynamoError(error, "TransactionCanceledException")) throw error;
    }
    return this.readRecord(options);
  }

  /** Removes pages, in any order. */
  async removePages(pages: readonly PageKey[], options?: CallOptions): Promise<void> {
    const { port, clock, random } = this.#context;
    const entries = pages.map((page) => ({ table: this.#table, delete: this.#pageKey(page) }));
    await batchWrite(port, entries, { clock, random, ...this.#call(options) });
  }

  /** Returns how many pages and events each slice has. */
  async sizes(
    { generation, slices, arn }: FeedRecord,
    options?: CallOptions,
  ): Promise<{ readonly pages: number; readonly events: number }[]> {
    const { tails } = await this.readCheckpoint(generation, arn, options);
    return Promise.all(
      Array.from({ length: slices }, async (_unused, slice) => {
        const pages = await this.tail(generation, slice, tails[slice] ?? 0, options);
        const last =
          pages === 0 ? undefined : await this.readPage({ generation, slice, number: pages - 1 }, options);
        return { pages, events: last === undefined ? 0 : last.first + last.count };
      }),
    );
  }

  /** Returns how many pages a slice has, which are at least `hint`. Pages have no holes. */
  async tail(generation: number, slice: number, hint: number, options?: CallOptions): Promise<number> {
    const isThere = async (number: number) =>
      (await this.#get(this.#pageKey({ generation, slice, number }), options)) !== undefined;
    let low = hint;
    let step = 1;
    while (await isThere(low + step - 1)) {
      low += step;
      step *= 2;
    }
    let high = low + step - 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (await isThere(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /**
   * Appends a page. The condition that no other has its number is the fence against a second sequencer, and assigns its offsets. Returns
   * whether the page is this one; if an answer is lost, what is stored tells. With `sweeping`, the page is written only while the feed is
   * being swept.
   */
  async appendPage(
    at: PageKey,
    page: Omit<FeedPage, "by">,
    sweeping: boolean,
    options?: CallOptions,
  ): Promise<boolean> {
    const by = newWriteId();
    const key = this.#pageKey(at);
    const item = { ...key, ...encodePage({ ...page, by }) };
    const isPut = sweeping
      ? await this.#putWhileSweeping(item, options)
      : await this.#putIf(item, "attribute_not_exists(refs)", undefined, options);
    return isPut || (await this.readPage(at, options))?.by === by;
  }

  async #putWhileSweeping(item: Item, options?: CallOptions): Promise<boolean> {
    const check = {
      TableName: this.#table,
      Key: this.#key(""),
      ConditionExpression: "feed_state = :sweeping",
      ExpressionAttributeValues: { ":sweeping": { S: "sweeping" } },
    };
    const put = { TableName: this.#table, Item: item, ConditionExpression: "attribute_not_exists(refs)" };
    try {
      const TransactItems = [{ Put: put }, { ConditionCheck: check }];
      await this.#context.port.transactWriteItems({ TransactItems }, this.#call(options));
      return true;
    } catch (error) {
      if (isDynamoError(error, "TransactionCanceledException")) return false;
      throw error;
    }
  }
}
