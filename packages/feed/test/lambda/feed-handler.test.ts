import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, sleep } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, type LayoutName, openJournal, unwrap } from "@tablekeep/journal";
import { fakeClock, type SeededRandom, seededRandom } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import {
  type ChangeRecord,
  ensureStream,
  type Feed,
  isFeedError,
  openFeed,
  openStreamSource,
} from "../../src/index.ts";
import { type BatchResponse, feedHandler } from "../../src/lambda/index.ts";
import { dynamoDbEvent, kinesisEvent } from "./documented-events.ts";

const table = "events";
const streams = { shards: 2, shardRecords: [8, 20], lagMs: [0, 1500] } as const;

/** A journal whose stream swaps records and splits, and a feed of it. */
async function world(layout: LayoutName, seed: number) {
  const clock = fakeClock();
  const port = await openEngine({ storage: { kind: "memory" }, clock, behavior: { seed, streams } });
  const journal = { table, layout };
  await ensureTable(port, journalTableSpec(journal));
  const { arn } = await clock.autoAdvance(() => ensureStream(port, table, "NEW_IMAGE", { clock }));
  const open = () => openFeed(port, { journal, slices: 4, clock, windowMs: 5000 });
  return { clock, port, journal: await openJournal(port, { ...journal, clock }), arn, open };
}

/** What AWS Lambda makes of records: events of a few, of one shard each, in order. */
type Send = (records: readonly ChangeRecord[]) => Promise<BatchResponse>;

const plain = (item: ChangeRecord["keys"]) =>
  JSON.parse(
    JSON.stringify(item, (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    ),
  ) as object;

const eventOfDynamoDb = (arn: string, records: readonly ChangeRecord[]) => ({
  Records: records.map(({ kind, keys, image, sequence, createdAt }) => ({
    eventName: kind.toUpperCase(),
    eventSource: "aws:dynamodb",
    eventSourceARN: arn,
    dynamodb: {
      ApproximateCreationDateTime: createdAt / 1000,
      Keys: plain(keys),
      ...(image && { NewImage: plain(image) }),
      SequenceNumber: String(sequence),
    },
  })),
});

const eventOfKinesis = (records: readonly ChangeRecord[]) =>
  kinesisEvent(
    ...records.map(({ kind, keys, image, createdAt }) => ({
      eventName: kind.toUpperCase(),
      dynamodb: {
        ApproximateCreationDateTime: createdAt * 1000,
        ApproximateCreationDateTimePrecision: "MICROSECOND",
        Keys: plain(keys),
        ...(image && { NewImage: plain(image) }),
      },
    })),
  );

/** Polls the stream as AWS Lambda does, and sends what it finds until a response acknowledges it. */
async function poll(
  port: DynamoPort,
  {
    clock,
    signal,
    random,
  }: { clock: ReturnType<typeof fakeClock>; signal: AbortSignal; random: SeededRandom },
  send: Send,
): Promise<number> {
  const source = await openStreamSource(port, { tableName: table, clock });
  let failures = 0;
  for await (const { records } of source.read(new Map(), { signal })) {
    for (let left = records; left.length > 0; ) {
      const some = left.slice(0, random.int(1, 10));
      const { batchItemFailures } = await send(some);
      if (batchItemFailures.length > 0) failures++;
      else left = left.slice(some.length);
      // At least once.
      if (random.chance(0.2)) await send(some);
    }
  }
  return failures;
}

async function idsOf(feed: Feed): Promise<Record<string, number[]>> {
  const ids: Record<string, number[]> = {};
  for await (const { persistenceId, sequenceNr } of feed.read())
    ids[persistenceId] = [...(ids[persistenceId] ?? []), sequenceNr];
  return ids;
}

describe.each(["dynamodb", "kinesis"] as const)("events of %s", (kind) => {
  test.each([1, 2, 3])("bring every event into the feed once and in order, seed %i", async (seed) => {
    const { clock, port, journal, arn, open } = await world(seed === 1 ? "packed" : "bucketed", seed);
    const random = seededRandom(seed);
    const feeds = [await open(), await open()];
    const expected: Record<string, number[]> = {};
    const failures = await clock.autoAdvance(
      async () => {
        const stop = new AbortController();
        const handlers = feeds.map((feed) => feedHandler(feed, { clock, marginMs: 1000 }));
        const send: Send = (records) => {
          const event = kind === "dynamodb" ? eventOfDynamoDb(arn, records) : eventOfKinesis(records);
          // Sometimes the function ends too early.
          const leftMs = random.chance(0.3) ? random.int(0, 1500) : 60_000;
          const handler = random.pick(handlers);
          return handler(JSON.parse(JSON.stringify(event)), { getRemainingTimeInMillis: () => leftMs });
        };
        const polling = poll(port, { clock, signal: stop.signal, random }, send);
        for (let count = 0; count < 40; count++) {
          const id = random.pick(["a", "b", "c", "d"]);
          const { length } = expected[id] ?? [];
          const size = random.int(1, 3);
          const events = Array.from({ length: size }, () => ({ payload: count }));
          unwrap(await journal.append(id, events));
          expected[id] = [...(expected[id] ?? []), ...events.map((_event, at) => length + at + 1)];
          await sleep(clock, random.int(0, 2000));
        }
        await sleep(clock, 60_000);
        stop.abort();
        return polling;
      },
      { limit: 300_000 },
    );
    const [feed] = feeds as [Feed];
    expect(await idsOf(feed)).toEqual(expected);
    expect((await feed.verify()).findings).toEqual([]);
    expect(failures).toBeGreaterThan(0);
    await port.close();
  });
});

describe("the handler", () => {
  const none = { catchUp: async () => expect.unreachable("nothing to do") };

  test("does nothing for an event without records", async () => {
    expect(await feedHandler(none)({ Records: [] })).toEqual({ batchItemFailures: [] });
  });

  test("rejects an event in another format, and options that do not fit", async () => {
    const error = await feedHandler(none)({ detail: {} }).catch((thrown: unknown) => thrown);
    expect(isFeedError(error, "FEED_RECORD_INVALID")).toBe(true);
    expect(() => feedHandler(none, { marginMs: -1 })).toThrow(
      expect.objectContaining({ code: "FEED_OPTION_INVALID" }),
    );
  });

  test.each([undefined, {}, Promise.resolve(none)])("rejects %s in place of a feed", (feed) => {
    expect(() => feedHandler(feed as never)).toThrow(
      expect.objectContaining({
        code: "FEED_OPTION_INVALID",
        details: expect.objectContaining({ option: "feed" }),
      }),
    );
  });

  test("throws what the feed throws, so that AWS Lambda counts it", async () => {
    const failure = new Error("no");
    const handler = feedHandler({ catchUp: () => Promise.reject(failure) });
    await expect(handler(dynamoDbEvent)).rejects.toBe(failure);
  });

  test("acknowledges all changes, or none of those for which there was no time", async () => {
    const clock = fakeClock();
    const waits = (ms: number) => ({
      catchUp: async ({ signal }: { signal?: AbortSignal } = {}) => {
        await sleep(clock, ms, signal).catch(() => {});
      },
    });
    const context = { getRemainingTimeInMillis: () => 10_000 };
    const run = (ms: number) =>
      clock.autoAdvance(() => feedHandler(waits(ms), { clock })(dynamoDbEvent, context));
    expect(await run(4000)).toEqual({ batchItemFailures: [] });
    expect(await run(6000)).toEqual({
      batchItemFailures: [{ itemIdentifier: "4421584500000000017450439091" }],
    });
    expect(clock.pending).toBe(0);
  });
});
