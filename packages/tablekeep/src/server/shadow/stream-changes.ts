import { type Clock, type DynamoPort, type Item, type Key, type Logger, sleep } from "@tablekeep/core";
import {
  type ChangeRecord,
  type ChangeSource,
  ensureStream,
  isFeedError,
  openStreamSource,
} from "@tablekeep/feed";
import { type ChangeFeed, type ItemChange, type ShadowManager, storedChanges } from "@tablekeep/shadow";
import { recordTime } from "../../stream/record-times.ts";
import { readOtherHalves } from "./other-halves.ts";

/** Dependencies of the announcements. */
export interface StreamChangesOptions {
  readonly port: DynamoPort;
  readonly table: string;
  readonly manager: Pick<ShadowManager, "policy">;
  /** The partition key under which the position in the stream is stored. @default not stored: a start reads from now on */
  readonly position?: string;
  /** Whether to enable a stream on a table without one. */
  readonly createStream: boolean;
  /** Resolves once all consequences of the changes so far are stored. The position is stored after that. */
  readonly settled: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The position in a stream. */
interface Position {
  /** The last sequence number of each shard. */
  readonly shards: Map<string, bigint>;
  readonly seenUntil: Map<string, number>;
  /** Changes before this time are not announced, in milliseconds since 1970. */
  readonly since: number;
}

/** The wait before the stream is opened again after an error, in milliseconds. */
const retryMs = 5_000;

/**
 * Announces the changes to a table from its stream: by any writer, in the order of each shadow's versions. The position is stored after each batch,
 * so that a start continues where the last run ended; a batch whose position was not stored is announced again.
 */
export class StreamChanges {
  readonly #feed: ChangeFeed;
  readonly #options: StreamChangesOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(feed: ChangeFeed, options: StreamChangesOptions) {
    this.#feed = feed;
    this.#options = options;
  }

  /** Starts reading. Throws if the table has no suitable stream. */
  async start(): Promise<void> {
    const { port, table, createStream, clock } = this.#options;
    const { signal } = this.#closing;
    if (createStream) await ensureStream(port, table, "NEW_AND_OLD_IMAGES", { clock, signal });
    const begun = startAt(clock.now());
    const source = await this.#open();
    const stored = await this.#load(source.arn);
    // Stored at once, so that a crash before the first change loses nothing.
    if (stored === undefined) await this.#save(source.arn, begun);
    this.#running = this.#run(source, stored ?? begun);
  }

  /** Throws if the table has no suitable stream. */
  async check(): Promise<void> {
    await this.#open();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  #open(): Promise<ChangeSource> {
    const { port, table: tableName, clock, logger } = this.#options;
    return openStreamSource(port, { tableName, needs: "image", clock, logger });
  }

  /** Reads until it is closed, and starts again after an error. A position that cannot be continued is given up, and the changes in between are not announced. */
  async #run(first: ChangeSource, stored: Position): Promise<void> {
    const { clock, logger } = this.#options;
    const { signal } = this.#closing;
    let source = first;
    let position = stored;
    while (!signal.aborted) {
      try {
        await this.#read(source, position);
      } catch (error) {
        if (signal.aborted) return;
        logger.error("could not read shadow changes from the stream; trying again", { error });
        await sleep(clock, retryMs, signal, { background: true }).catch(() => undefined);
        const opened = await this.#open().catch(() => source);
        const isOver = isFeedError(error, "FEED_STREAM_TRIMMED") || opened.arn !== source.arn;
        if (isOver) position = startAt(clock.now());
        source = opened;
      }
    }
  }

  async #read(source: ChangeSource, { shards, seenUntil, since }: Position): Promise<void> {
    const { signal } = this.#closing;
    for await (const batch of source.read(new Map(shards), { signal, seenUntil: new Map(seenUntil) })) {
      // The items include our own: sessions, and this position.
      const records = batch.records.filter(isOfShadow);
      await this.#announce(records.filter((record) => isNews(record, source.arn, since)));
      for (const [shard, { sequence, seenUntil: time }] of batch.positions) {
        if (sequence !== undefined) shards.set(shard, sequence);
        seenUntil.set(shard, time);
      }
      for (const gone of batch.gone ?? []) {
        shards.delete(gone);
        seenUntil.delete(gone);
      }
      if (records.length > 0) await this.#save(source.arn, { shards, seenUntil, since });
    }
  }

  async #announce(records: readonly ChangeRecord[]): Promise<void> {
    const { manager, logger } = this.#options;
    for (const write of writesOf(records)) {
      const read = await this.#otherHalvesOnceRead(write);
      try {
        const items: ItemChange[] = write.map(({ before, image }) => ({ before, after: image }));
        const now = BigInt(write[0]?.createdAt ?? 0) * 1_000_000n;
        for (const change of storedChanges(items, { read, policy: manager.policy, now }))
          this.#feed.publish(change);
      } catch (error) {
        logger.error("could not announce a shadow change", { error });
      }
    }
  }

  /** Retries until the table is available: an outage must not skip a change. */
  async #otherHalvesOnceRead(write: readonly ChangeRecord[]): Promise<(key: Key) => Item | undefined> {
    const { port, table, clock, logger } = this.#options;
    const { signal } = this.#closing;
    for (;;) {
      try {
        return await readOtherHalves(
          port,
          table,
          write.map(({ keys }) => keys),
        );
      } catch (error) {
        signal.throwIfAborted();
        logger.error("could not read the other half of a shadow; trying again", { error });
        await sleep(clock, retryMs, signal, { background: true });
      }
    }
  }

  async #load(arn: string): Promise<Position | undefined> {
    const { port, table, position } = this.#options;
    if (position === undefined) return undefined;
    const { Item } = await port.getItem({
      TableName: table,
      Key: keyOf(position, arn),
      ConsistentRead: true,
    });
    if (Item?.["Position"]?.S === undefined) return undefined;
    const stored = JSON.parse(Item["Position"].S) as StoredPosition;
    return {
      shards: new Map(stored.shards.map(([shard, sequence]) => [shard, BigInt(sequence)])),
      seenUntil: new Map(stored.seenUntil),
      since: stored.since,
    };
  }

  async #save(arn: string, { shards, seenUntil, since }: Position): Promise<void> {
    const { port, table, position, settled } = this.#options;
    if (position === undefined) return;
    await settled();
    const stored: StoredPosition = {
      shards: [...shards].map(([shard, sequence]) => [shard, String(sequence)]),
      seenUntil: [...seenUntil],
      since,
    };
    await port.putItem({
      TableName: table,
      Item: { ...keyOf(position, arn), Position: { S: JSON.stringify(stored) } },
    });
  }
}

function keyOf(position: string, arn: string): Key {
  return { PK: { S: position }, SK: { S: arn } };
}

/** A position as JSON. */
interface StoredPosition {
  readonly shards: readonly (readonly [shard: string, sequence: string])[];
  readonly seenUntil: readonly (readonly [shard: string, time: number])[];
  readonly since: number;
}

/** Whether a change was made at `since` or later. If the time of its record does not show it, the time of the stored shadow does. */
function isNews({ createdAt, image }: ChangeRecord, arn: string, since: number): boolean {
  if (createdAt >= since) return true;
  if (createdAt < recordTime(arn, since)) return false;
  const nanoseconds = image?.["TimeStamp"]?.N;
  // A deletion has no time.
  return nanoseconds === undefined || Number(nanoseconds) / 1_000_000 >= since;
}

/** The position of a server that has none: from now on. The times of stream records are whole seconds at most. */
function startAt(now: number): Position {
  return { shards: new Map(), seenUntil: new Map(), since: Math.floor(now / 1000) * 1000 };
}

function isOfShadow({ keys }: ChangeRecord): boolean {
  return keys["PK"]?.S?.startsWith("DS#") === true;
}

/** The writes of records. The records of a transaction on both halves of a shadow are one write. */
function writesOf(records: readonly ChangeRecord[]): ChangeRecord[][] {
  const writes: ChangeRecord[][] = [];
  for (const record of records) {
    const last = writes.at(-1);
    if (last !== undefined && areHalves(last, record)) last.push(record);
    else writes.push([record]);
  }
  return writes;
}

function areHalves(write: readonly ChangeRecord[], next: ChangeRecord): boolean {
  const [first] = write;
  if (first === undefined || write.length !== 1 || first.keys["PK"]?.S !== next.keys["PK"]?.S) return false;
  const [one, other] = [first.keys["SK"]?.S ?? "", next.keys["SK"]?.S ?? ""];
  const kinds = [one.slice(0, 4), other.slice(0, 4)].toSorted().join();
  return kinds === "DSD#,DSR#" && one.slice(4) === other.slice(4) && first.createdAt === next.createdAt;
}
