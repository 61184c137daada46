import { metered } from "@tablekeep/client";
import { type DynamoPort, sleep } from "@tablekeep/core";
import { seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type ChangeBatch, isFeedError, openStreamSource } from "../src/index.ts";
import {
  Checkpoint,
  readSome,
  type StreamWorld,
  streamWorld,
  tableName,
  Written,
  writeRandomly,
} from "./stream-world.ts";

/** A record that never appears must fail a test, not prolong it. */
const bounded = { limit: 100_000 };
const hour = 60 * 60 * 1000;
const put = (port: DynamoPort, pk: string) =>
  port.putItem({ TableName: tableName, Item: { pk: { S: pk }, sk: { N: "1" }, version: { N: "1" } } });
const failure = async (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );
/** Reads until every shard has been read to its end. */
const readAll = (world: StreamWorld, checkpoint: Checkpoint, options = {}) =>
  world.clock.autoAdvance(() => {
    const start = world.clock.now();
    const until = () => [...checkpoint.seenUntil.values()].every((time) => time > start);
    return readSome(world, { checkpoint, options, until });
  }, bounded);

describe("positions", () => {
  test.each(Array.from({ length: 10 }, (_, seed) => seed))(
    "a time is reported only when nothing before it can follow, seed %i",
    async (seed) => {
      await using world = await streamWorld({
        seed,
        streams: { shards: 2, shardRecords: [4, 12], emptyPages: [0, 2] },
      });
      const { port, clock } = world;
      const written = new Written();
      await clock.autoAdvance(async () => {
        let done = false;
        const backlog = writeRandomly(world, seededRandom(seed), written, 60, 2000).then(() => {
          done = true;
        });
        if (seed % 2 === 0) await backlog;
        const source = await openStreamSource(port, { tableName, clock, emptyReadsAtEnd: 3, pageRecords: 7 });
        const reached = new Map<string, number>();
        let count = 0;
        const signal = new AbortController().signal;
        for await (const { records, positions } of source.read(new Map(), { signal })) {
          for (const { shard, createdAt } of records) {
            const bound = Math.floor((reached.get(shard) ?? 0) / 1000) * 1000;
            expect(createdAt).toBeGreaterThanOrEqual(bound);
          }
          for (const [shard, { seenUntil }] of positions) {
            expect(seenUntil).toBeGreaterThanOrEqual(reached.get(shard) ?? 0);
            reached.set(shard, seenUntil);
          }
          count += records.length;
          if (done && count >= written.count) break;
        }
      });
    },
  );

  test("a shard is closed in the batch in which its children appear", async () => {
    await using world = await streamWorld({ streams: { shardRecords: 3 } });
    const batches: ChangeBatch[] = [];
    await world.clock.autoAdvance(async () => {
      const written = new Written();
      await writeRandomly(world, seededRandom(3), written, 40);
      const until = (seen: readonly unknown[], batch: ChangeBatch) => {
        batches.push(batch);
        return seen.length >= written.count;
      };
      await readSome(world, { checkpoint: new Checkpoint(), until });
    });
    const known = new Set<string>();
    let closings = 0;
    for (const { positions } of batches) {
      for (const shard of positions.keys()) known.add(shard);
      for (const [shard, { closed }] of positions) {
        if (!closed) continue;
        closings++;
        const children = [...positions].filter(([, { parents }]) => parents.includes(shard));
        expect(children.length).toBeGreaterThan(0);
      }
    }
    expect(closings).toBeGreaterThan(3);
  });

  test("a shard whose children are not listed yet stays open", async () => {
    await using world = await streamWorld({ streams: { shardRecords: 3 } });
    const listings = new Map<string, number>();
    const port: DynamoPort = {
      ...world.port,
      describeStream: async (input, options) => {
        const output = await world.port.describeStream(input, options);
        const Shards = output.StreamDescription?.Shards?.filter(({ ShardId = "", ParentShardId }) => {
          const count = (listings.get(ShardId) ?? 0) + 1;
          listings.set(ShardId, count);
          return ParentShardId === undefined || count > 2;
        });
        return { StreamDescription: { ...output.StreamDescription, Shards } };
      },
    };
    const written = new Written();
    const known = new Set<string>();
    await world.clock.autoAdvance(async () => {
      const writing = writeRandomly(world, seededRandom(3), written, 40);
      const until = (seen: readonly unknown[], { positions }: ChangeBatch) => {
        for (const [shard, { closed }] of positions) {
          known.add(shard);
          const children = [...positions].filter(([, { parents }]) => parents.includes(shard));
          if (closed) expect(children.length).toBeGreaterThan(0);
        }
        return seen.length >= 30;
      };
      await readSome({ ...world, port }, { checkpoint: new Checkpoint(), until });
      await writing;
    }, bounded);
    expect(known.size).toBeGreaterThan(5);
  });

  test("a shard that was read to its end is not read again", async () => {
    await using world = await streamWorld({ streams: { shardRecords: 2 } });
    const { port, meter } = metered(world.port);
    await world.clock.autoAdvance(() => writeRandomly(world, seededRandom(3), new Written(), 40, 0));
    const checkpoint = new Checkpoint();
    await readAll(world, checkpoint);
    const closed = [...checkpoint.seenUntil.values()].filter((time) => time === Number.MAX_SAFE_INTEGER);
    expect(closed.length).toBeGreaterThan(10);
    const open = checkpoint.seenUntil.size - closed.length;
    await readAll({ ...world, port }, checkpoint, { emptyReadsAtEnd: 1 });
    expect(meter.snapshot().byOperation.GetShardIterator?.requests).toBe(open);
  });
});

describe("records older than the stream keeps them", () => {
  test("are an error if they may not have been read", async () => {
    await using world = await streamWorld({ streams: { retentionMs: hour } });
    const { port, clock } = world;
    const checkpoint = new Checkpoint();
    await put(port, "a");
    await readAll(world, checkpoint);
    await put(port, "b");
    await clock.advance(2 * hour);
    await put(port, "c");
    const error = await failure(readAll(world, checkpoint, { retentionMs: hour }));
    expect(isFeedError(error, "FEED_STREAM_TRIMMED") && error.details).toMatchObject({
      sequence: expect.stringMatching(/^\d+$/),
    });
  });

  test("are not an error if the checkpoint is recent enough", async () => {
    await using world = await streamWorld({ streams: { retentionMs: hour } });
    const { port, clock } = world;
    const checkpoint = new Checkpoint();
    await put(port, "a");
    await clock.advance(0.9 * hour);
    await readAll(world, checkpoint);
    await clock.advance(0.5 * hour);
    await put(port, "b");
    const seen = await readAll(world, checkpoint, { retentionMs: hour });
    expect(seen.map(({ keys }) => keys["pk"]?.S)).toEqual(["b"]);
  });

  test("are an error without the times of the checkpoint", async () => {
    await using world = await streamWorld({ streams: { retentionMs: hour } });
    const checkpoint = new Checkpoint();
    await put(world.port, "a");
    await readAll(world, checkpoint);
    checkpoint.seenUntil.clear();
    await world.clock.advance(1.5 * hour);
    const error = await failure(readAll(world, checkpoint));
    expect(isFeedError(error, "FEED_STREAM_TRIMMED")).toBe(true);
  });

  test("shards that are no longer listed are reported, unless they had been open", async () => {
    await using world = await streamWorld({ streams: { retentionMs: hour, shardRecords: 2 } });
    const { port, clock } = world;
    for (const pk of ["a", "a", "a", "a", "a"]) await put(port, pk);
    for (let version = 0; version < 9; version++) await port.putItem(itemOf("a", version));
    const checkpoint = new Checkpoint();
    await readAll(world, checkpoint);
    const before = new Map(checkpoint.seenUntil);
    await clock.advance(0.9 * hour);
    await readAll(world, checkpoint);
    await clock.advance(0.9 * hour);
    await readAll(world, checkpoint, { retentionMs: hour });
    expect(checkpoint.seenUntil.size).toBeLessThan(before.size);
    const old = new Checkpoint();
    const [first] = before.keys();
    old.seenUntil.set(first ?? "", clock.now() - 2 * hour);
    const error = await failure(readAll(world, old, { retentionMs: hour }));
    expect(isFeedError(error, "FEED_STREAM_TRIMMED") && error.details).toMatchObject({ shard: first });
  });
});

const itemOf = (pk: string, version: number) => ({
  TableName: tableName,
  Item: { pk: { S: pk }, sk: { N: "1" }, version: { N: String(version) } },
});

describe("an idle stream", () => {
  test("costs 1,800 reads an hour for each shard, and 60 lists of shards", async () => {
    await using world = await streamWorld({ streams: { shards: 4 } });
    const { port, meter } = metered(world.port);
    const { clock } = world;
    const source = await openStreamSource(port, { tableName, clock });
    const stop = new AbortController();
    await clock.autoAdvance(async () => {
      const ends = sleep(clock, hour).then(() => stop.abort());
      for await (const { records } of source.read(new Map(), { signal: stop.signal }))
        expect(records).toEqual([]);
      await ends;
    });
    const { GetRecords, DescribeStream, GetShardIterator } = meter.snapshot().byOperation;
    expect(GetRecords?.requests).toBeGreaterThan(4 * 1795);
    expect(GetRecords?.requests).toBeLessThan(4 * 1815);
    expect(DescribeStream?.requests).toBeLessThanOrEqual(61);
    expect(GetShardIterator?.requests).toBe(4);
  });
});
