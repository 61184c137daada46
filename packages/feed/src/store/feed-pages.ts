import { batchGet, batchWrite, newWriteId } from "@tablekeep/client";
import { type CallOptions, type Item, isDynamoError, type Key } from "@tablekeep/core";
import { decodePage, encodePage, type FeedPage } from "../pages/page.ts";
import type { FeedItems } from "./feed-items.ts";

/** The number of pages in one partition. */
const pagesPerPartition = 1000;
/** The maximum number of pages that one request reads. */
const pagesAtOnce = 25;

/** Identifies a page. */
export interface PageKey {
  readonly generation: number;
  readonly slice: number;
  readonly number: number;
}

/** The pages of one feed. Those of a slice are numbered from 0, without holes. */
export class FeedPages {
  readonly #items: FeedItems;

  constructor(items: FeedItems) {
    this.#items = items;
  }

  #key({ generation, slice, number }: PageKey): Key {
    const partition = Math.floor(number / pagesPerPartition);
    return this.#items.key(`${generation}-${slice}-${partition}`, number % pagesPerPartition);
  }

  /** Returns a page; undefined if it does not exist yet. */
  async read(page: PageKey, options?: CallOptions): Promise<FeedPage | undefined> {
    const item = await this.#items.get(this.#key(page), options);
    return item && decodePage(item, page.slice, page.number);
  }

  /** Returns pages, in the given order; undefined for those that do not exist yet. */
  async readAll(
    pages: readonly PageKey[],
    options?: CallOptions,
    consistent = true,
  ): Promise<(FeedPage | undefined)[]> {
    const { port, clock, random } = this.#items.context;
    const table = this.#items.table;
    const keys = pages.map((page) => ({ table, key: this.#key(page) }));
    const items = await batchGet(port, keys, { consistent, clock, random, ...this.#items.call(options) });
    return pages.map((page, at) => {
      const item = items[at];
      return item && decodePage(item, page.slice, page.number);
    });
  }

  /** Returns pages of a slice from the newest to the oldest, beginning below `to`. */
  async *backwards(
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
      for (const page of await this.readAll(keys, options)) if (page !== undefined) yield page;
    }
  }

  /** Returns pages of a slice in order, from a number up to the newest, or below `to`. */
  async *forwards(
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
      for (const page of await this.readAll(keys, options)) {
        if (page === undefined) return;
        yield page;
      }
    }
  }

  /** Returns the number of pages of a slice, which is at least `hint`. Page numbers have no gaps. */
  async count(generation: number, slice: number, hint: number, options?: CallOptions): Promise<number> {
    const isThere = async (number: number) =>
      (await this.#items.get(this.#key({ generation, slice, number }), options)) !== undefined;
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
   * the name of its put; undefined if another page has the number. After a lost response, the stored page decides. With `sweeping`, the page is
   * written only while the feed is being swept.
   */
  async append(
    at: PageKey,
    page: Omit<FeedPage, "by">,
    sweeping: boolean,
    options?: CallOptions,
  ): Promise<string | undefined> {
    const by = newWriteId();
    const key = this.#key(at);
    const item = { ...key, ...encodePage({ ...page, by }) };
    const isPut = sweeping
      ? await this.#putWhileSweeping(item, options)
      : await this.#items.putIf(item, "attribute_not_exists(refs)", undefined, options);
    return isPut || (await this.read(at, options))?.by === by ? by : undefined;
  }

  async #putWhileSweeping(item: Item, options?: CallOptions): Promise<boolean> {
    const check = {
      TableName: this.#items.table,
      Key: this.#items.key(""),
      ConditionExpression: "feed_state = :sweeping",
      ExpressionAttributeValues: { ":sweeping": { S: "sweeping" } },
    };
    const put = {
      TableName: this.#items.table,
      Item: item,
      ConditionExpression: "attribute_not_exists(refs)",
    };
    try {
      const TransactItems = [{ Put: put }, { ConditionCheck: check }];
      await this.#items.context.port.transactWriteItems({ TransactItems }, this.#items.call(options));
      return true;
    } catch (error) {
      if (isDynamoError(error, "TransactionCanceledException")) return false;
      throw error;
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
      const tail = await this.count(generation, slice, known, options);
      // The item itself: a page that is corrupt is removed like any other.
      const last =
        tail === 0
          ? undefined
          : await this.#items.get(this.#key({ generation, slice, number: tail - 1 }), options);
      if (last?.["followed_by"] !== undefined) return tail - 1;
      const at = Math.floor(this.#items.context.clock.now());
      const page = { number: tail, first: 0, count: 0, refs: [], hi: new Map(), at, followedBy };
      const by = await this.append({ generation, slice, number: tail }, page, false, options);
      if (by !== undefined) return tail;
      known = tail;
    }
  }

  /** Removes pages, in any order. */
  async remove(pages: readonly PageKey[], options?: CallOptions): Promise<void> {
    const { port, clock, random } = this.#items.context;
    const entries = pages.map((page) => ({ table: this.#items.table, delete: this.#key(page) }));
    await batchWrite(port, entries, { clock, random, ...this.#items.call(options) });
  }
}
