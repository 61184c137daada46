import { type CallOptions, type Item, isDynamoError, type Key } from "@tablekeep/core";
import { FeedError, isFeedError } from "../feed-error.ts";
import { FeedItems, type StoreContext } from "./feed-items.ts";
import { FeedPages } from "./feed-pages.ts";
import {
  type Checkpoint,
  decodeCheckpoint,
  decodeFeedRecord,
  encodeCheckpoint,
  encodeFeedRecord,
  type FeedRecord,
} from "./feed-record.ts";

/** The condition that a record has not changed since it was read. */
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

/** What to do about an item in another format. Without a checkpoint, the stream is read from its oldest record, and a sweep finds what the stream has lost. */
const corruptAdvice = {
  record: "restore the item from a backup, or correct the attribute",
  checkpoint:
    'restore the item from a backup, or delete it and run "tablekeep feed run --once --sweep", or call feed.requestSweep and feed.run',
} as const;

/** The process that sequences a feed, and the end of its lease in milliseconds. */
export interface Lease {
  readonly owner: string;
  readonly until: number;
}

/** The size of a slice. */
export interface SliceSize {
  readonly pages: number;
  readonly events: number;
  /** Its last page is corrupt. */
  readonly error?: FeedError;
}

/** The stored state of one feed: its record, checkpoints, lease and removals, and its {@link FeedPages | pages}. */
export class FeedStore {
  readonly pages: FeedPages;
  readonly #items: FeedItems;

  constructor(context: StoreContext) {
    this.#items = new FeedItems(context);
    this.pages = new FeedPages(this.#items);
  }

  /** Returns the feed's record; undefined if there is no such feed. */
  async readRecord(options?: CallOptions, consistent = true): Promise<FeedRecord | undefined> {
    const key = this.#items.key("");
    const item = await this.#items.get(key, options, consistent);
    return item && this.#decode("record", key, () => decodeFeedRecord(item));
  }

  #decode<Decoded>(what: "record" | "checkpoint", key: Key, decode: () => Decoded): Decoded {
    try {
      return decode();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const { table } = this.#items;
      const message = `the ${what} of the feed, item ${JSON.stringify(key)} of table ${table}, is corrupt: ${reason} (${corruptAdvice[what]})`;
      throw new FeedError("FEED_ITEM_CORRUPT", message, { table, key, reason }, { cause: error });
    }
  }

  /** Stores the record of a new feed, unless there is one. Returns what is stored. */
  async createRecord(record: FeedRecord, options?: CallOptions): Promise<FeedRecord> {
    const item = { ...this.#items.key(""), ...encodeFeedRecord(record) };
    const isNew = await this.#items.putIf(item, "attribute_not_exists(generation)", undefined, options);
    return isNew ? record : ((await this.readRecord(options)) ?? record);
  }

  /** Changes the record if it has not changed since it was read. Returns what is stored. */
  async changeRecord(from: FeedRecord, to: FeedRecord, options?: CallOptions): Promise<FeedRecord> {
    const item = { ...this.#items.key(""), ...encodeFeedRecord(to) };
    await this.#items.putIf(item, recordCondition, recordValues(from), options);
    return (await this.readRecord(options)) ?? to;
  }

  /** Returns the checkpoint of a generation for a stream. A checkpoint for another stream is ignored. */
  async readCheckpoint(generation: number, arn: string, options?: CallOptions): Promise<Checkpoint> {
    const key = this.#items.key(`${generation}-checkpoint`);
    const item = await this.#items.get(key, options);
    const none = { version: 0, arn, shards: new Map(), times: new Map(), seenUntil: 0, tails: [] };
    const stored = item && this.#decode("checkpoint", key, () => decodeCheckpoint(item));
    if (stored === undefined) return none;
    return stored.arn === arn ? stored : { ...none, version: stored.version, tails: stored.tails };
  }

  /** Stores a checkpoint if the one that it was derived from is still stored. Returns what is stored. */
  async raiseCheckpoint(generation: number, to: Checkpoint, options?: CallOptions): Promise<Checkpoint> {
    const version = to.version + 1;
    const next = { ...to, version };
    const item = { ...this.#items.key(`${generation}-checkpoint`), ...encodeCheckpoint(next) };
    const values = { ":version": { N: String(to.version) } };
    const condition = to.version === 0 ? "attribute_not_exists(version)" : "version = :version";
    const isStored = await this.#items.putIf(item, condition, to.version === 0 ? undefined : values, options);
    return isStored ? next : this.readCheckpoint(generation, to.arn, options);
  }

  /** Returns the holder of the sequencer's lease and when it ends; undefined if there never was one. */
  async readLease(options?: CallOptions): Promise<Lease | undefined> {
    const item = await this.#items.get(this.#items.key("lease"), options);
    return item && { owner: item["holder"]?.S ?? "", until: Number(item["until"]?.N ?? 0) };
  }

  /** Acquires or renews the lease; takes over the one that is `abandoned`. Returns false if another process has it. */
  async acquireLease(
    owner: string,
    now: number,
    leaseMs: number,
    { abandoned, ...options }: CallOptions & { readonly abandoned?: Lease } = {},
  ): Promise<boolean> {
    const item = {
      ...this.#items.key("lease"),
      holder: { S: owner },
      until: { N: String(Math.floor(now + leaseMs)) },
    };
    const names = { "#until": "until" };
    const values = {
      ":owner": { S: owner },
      ":now": { N: String(Math.floor(now)) },
      ":number": { S: "N" },
      ...(abandoned && { ":old": { S: abandoned.owner }, ":end": { N: String(abandoned.until) } }),
    };
    // A lease without a time would never end.
    const condition = `attribute_not_exists(holder) OR holder = :owner OR #until < :now OR NOT attribute_type(#until, :number)${abandoned ? " OR (holder = :old AND #until = :end)" : ""}`;
    return this.#items.putIf(item, condition, values, options, names);
  }

  /** Releases the lease. */
  async releaseLease(owner: string): Promise<void> {
    const item = { ...this.#items.key("lease"), holder: { S: owner }, until: { N: "0" } };
    await this.#items.putIf(item, "holder = :owner", { ":owner": { S: owner } });
  }

  /** Returns how many pages of each slice of an old generation are left; undefined before its slices have ended. */
  async readRemoval(generation: number, options?: CallOptions): Promise<readonly number[] | undefined> {
    const item = await this.#items.get(this.#items.key(`${generation}-removal`), options);
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
    const item = { ...this.#items.key(`${generation}-removal`), left: counts };
    const condition = isFirst ? "attribute_not_exists(#left)" : "attribute_exists(#left)";
    await this.#items.putIf(item, condition, undefined, options, { "#left": "left" });
  }

  /**
   * Removes an old generation from the record's list if the record has not changed since it was read, and removes its checkpoint and what is stored about its
   * removal. Returns what is stored.
   */
  async forgetGeneration(
    from: FeedRecord,
    generation: number,
    options?: CallOptions,
  ): Promise<FeedRecord | undefined> {
    const TableName = this.#items.table;
    const old = (from.old ?? []).filter((each) => each.generation !== generation);
    const marks = ["checkpoint", "removal"].map((name) => ({
      Delete: { TableName, Key: this.#items.key(`${generation}-${name}`) },
    }));
    const Put = {
      TableName,
      Item: { ...this.#items.key(""), ...encodeFeedRecord({ ...from, old }) },
      ConditionExpression: recordCondition,
      ExpressionAttributeValues: recordValues(from),
    };
    try {
      await this.#items.context.port.transactWriteItems(
        { TransactItems: [{ Put }, ...marks] },
        this.#items.call(options),
      );
    } catch (error) {
      if (!isDynamoError(error, "TransactionCanceledException")) throw error;
    }
    return this.readRecord(options);
  }

  /** Returns how many pages and events each slice has, and the error of a last page that is corrupt: then the events before it count. */
  async sizes({ generation, slices, arn }: FeedRecord, options?: CallOptions): Promise<SliceSize[]> {
    const { tails } = await this.readCheckpoint(generation, arn, options);
    return Promise.all(
      Array.from({ length: slices }, async (_unused, slice) => {
        const pages = await this.pages.count(generation, slice, tails[slice] ?? 0, options);
        let error: FeedError | undefined;
        for (let number = pages - 1; number >= 0; number--) {
          try {
            const last = await this.pages.read({ generation, slice, number }, options);
            return {
              pages,
              events: last === undefined ? 0 : last.first + last.count,
              ...(error && { error }),
            };
          } catch (corrupt) {
            if (!isFeedError(corrupt, "FEED_PAGE_CORRUPT")) throw corrupt;
            error ??= corrupt;
          }
        }
        return { pages, events: 0, ...(error && { error }) };
      }),
    );
  }
}
