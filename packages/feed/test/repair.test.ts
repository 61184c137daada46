import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, type StreamViewType, sleep } from "@tablekeep/core";
import { type EngineOptions, openEngine } from "@tablekeep/engine";
import { type Journal, type JournalOptions, journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { type FakeClock, fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { ensureStream, type Feed, type FeedEvent, openFeed, type ReadFeedOptions } from "../src/index.ts";

const hour = 60 * 60 * 1000;
const TableName = "events";

interface RepairWorld extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly port: DynamoPort;
  readonly journal: Journal;
  open(slices?: number): Promise<Feed>;
}

async function newWorld(
  options: JournalOptions = {},
  streams?: NonNullable<EngineOptions["behavior"]>["streams"],
): Promise<RepairWorld> {
  const clock = fakeClock();
  const port = await openEngine({ storage: { kind: "memory" }, clock, behavior: { streams } });
  await ensureTable(port, journalTableSpec(options));
  return {
    clock,
    port,
    journal: await openJournal(port, { ...options, clock }),
    open: (slices = 4) => openFeed(port, { journal: options, clock, slices, leaseMs: 3000 }),
    [Symbol.asyncDispose]: () => port.close(),
  };
}

async function appendTo({ journal }: RepairWorld, count: number): Promise<void> {
  for (let at = 0; at < count; at++)
    for (const id of ["a", "b", "c", "d", "e"])
      unwrap(await journal.append(id, at % 2 === 0 ? { payload: at } : [{ payload: at }, { payload: at }]));
}

async function readAll(feed: Feed, options: ReadFeedOptions = {}): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for await (const event of feed.read(options)) events.push(event);
  return events;
}

/** Each event once, those of an id in order, none late. */
async function expectEvents(feed: Feed, perId: number): Promise<void> {
  const found: Record<string, number[]> = {};
  for (const { persistenceId, sequenceNr, late } of await readAll(feed)) {
    expect(late).toBe(false);
    found[persistenceId] = [...(found[persistenceId] ?? []), sequenceNr];
  }
  const numbers = Array.from({ length: perId }, (_unused, at) => at + 1);
  expect(found).toEqual(Object.fromEntries(["a", "b", "c", "d", "e"].map((id) => [id, numbers])));
  expect((await feed.verify()).findings).toEqual([]);
}

describe("a feed that was not run for longer than the stream keeps records", () => {
  test.each([
    ["one shard", {}],
    ["shards that split", { shards: 2, shardRecords: [4, 9] as const }],
    ["shards that reorder", { shards: 3, lagMs: [0, 500] as const }],
  ])("is compared with the journal (%s)", async (_name, streams) => {
    await using world = await newWorld({ layout: "packed" }, streams);
    const { clock } = world;
    await clock.autoAdvance(async () => {
      const feed = await world.open();
      await appendTo(world, 4);
      await feed.catchUp();
      await appendTo(world, 2);
      await sleep(clock, 20 * hour);
      await appendTo(world, 2);
      await sleep(clock, 10 * hour);
      await appendTo(world, 2);
      await feed.catchUp();
      await expectEvents(await world.open(), 15);
    });
  });
});

test("a stream that is disabled and enabled again while a feed runs is followed by a sweep", async () => {
  await using world = await newWorld({ layout: "bucketed" });
  const { clock, port } = world;
  await clock.autoAdvance(async () => {
    const feed = await world.open();
    const stop = new AbortController();
    const running = feed.run(stop);
    await appendTo(world, 2);
    await sleep(clock, 20_000);
    const { streamArn } = await feed.status();
    await port.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    await appendTo(world, 2);
    await ensureStream(port, TableName, "NEW_IMAGE", { clock });
    await appendTo(world, 2);
    await sleep(clock, 120_000);
    expect((await feed.status()).streamArn).not.toBe(streamArn);
    await expectEvents(feed, 9);
    stop.abort();
    await running;
  });
});

test("a requested sweep is made by the process that runs the feed", async () => {
  await using world = await newWorld();
  const { clock } = world;
  await clock.autoAdvance(async () => {
    const feed = await world.open();
    const stop = new AbortController();
    const running = feed.run(stop);
    await appendTo(world, 2);
    await sleep(clock, 20_000);
    await (await world.open()).requestSweep();
    expect((await feed.status()).state).toBe("sweeping");
    await sleep(clock, 20_000);
    expect((await feed.status()).state).toBe("live");
    await expectEvents(feed, 3);
    stop.abort();
    await running;
  });
});

test("a feed that is rebuilt has other slices, and positions of the old one are outdated", async () => {
  await using world = await newWorld({ layout: "packed" }, { shards: 2, shardRecords: [5, 9] });
  const { clock } = world;
  await clock.autoAdvance(async () => {
    const feed = await world.open(4);
    const stop = new AbortController();
    const running = [feed.run(stop), (await world.open(4)).run(stop)];
    await appendTo(world, 2);
    await sleep(clock, 20_000);
    const position = (await readAll(feed)).at(-1)?.position ?? "";
    const following = readAll(feed, { live: true, from: position }).catch((error: unknown) => error);
    await feed.rebuild({ slices: 16 });
    await appendTo(world, 2);
    await sleep(clock, 60_000);
    expect(await feed.status()).toMatchObject({ generation: 2, state: "live" });
    expect((await feed.status()).slices).toHaveLength(16);
    await expectEvents(feed, 6);
    // The pages of the first generation are gone, except for the ones that end its slices.
    const { Items = [] } = await world.port.scan({ TableName });
    const first = Items.filter(({ par, refs }) => refs !== undefined && par?.S?.includes("-F-all-1-"));
    expect(first.map((page) => page["followed_by"]?.N)).toEqual(["2", "2", "2", "2"]);
    const outdated = { code: "FEED_POSITION_OUTDATED", details: { generation: 1, current: 2 } };
    expect(await following).toMatchObject(outdated);
    await expect(readAll(feed, { from: position })).rejects.toMatchObject(outdated);
    await expect(feed.rebuild({ slices: 3 })).rejects.toMatchObject({ code: "FEED_OPTION_INVALID" });
    stop.abort();
    await Promise.all(running);
  });
});

describe("a stream without images", () => {
  async function withView(options: JournalOptions, view: StreamViewType): Promise<RepairWorld> {
    const world = await newWorld(options, { shards: 2, lagMs: [0, 300] });
    const { clock, port } = world;
    await clock.autoAdvance(() =>
      port.updateTable({
        TableName,
        StreamSpecification: { StreamEnabled: true, StreamViewType: view },
      }),
    );
    return world;
  }

  test("suffices for a table that an Akka plugin writes", async () => {
    await using world = await withView({ layout: "bucketed", akka: "2.6" }, "KEYS_ONLY");
    const { clock, port } = world;
    await clock.autoAdvance(async () => {
      const feed = await world.open();
      await appendTo(world, 2);
      await feed.catchUp();
      await appendTo(world, 2);
      await sleep(clock, 1000);
      await feed.catchUp();
      await expectEvents(feed, 6);
      await feed.requestSweep();
      await appendTo(world, 2);
      await sleep(clock, 1000);
      await feed.catchUp();
      await expectEvents(feed, 9);
      // With images the same feed goes on.
      await port.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
      await ensureStream(port, TableName, "NEW_IMAGE", { clock });
      await appendTo(world, 2);
      await sleep(clock, 1000);
      await feed.catchUp();
      await expectEvents(feed, 12);
    });
  });

  test.each<[string, JournalOptions]>([
    ["packed", { layout: "packed" }],
    ["linear", { layout: "linear" }],
    ["scattered", { layout: "scattered" }],
    ["bucketed, written by Tablekeep alone", { layout: "bucketed" }],
  ])("does not suffice for other layouts: %s", async (_name, options) => {
    await using world = await withView(options, "KEYS_ONLY");
    const { clock } = world;
    const feed = await world.open();
    const error = await clock.autoAdvance(() => feed.catchUp().catch((thrown: unknown) => thrown));
    expect(error).toMatchObject({ code: "FEED_STREAM_VIEW_UNSUITABLE", details: { viewType: "KEYS_ONLY" } });
  });

  test("cannot continue a feed that was made with images", async () => {
    await using world = await withView({ layout: "bucketed", akka: "2.6" }, "NEW_IMAGE");
    const { clock, port } = world;
    await clock.autoAdvance(async () => {
      const feed = await world.open();
      await appendTo(world, 2);
      await feed.catchUp();
      await port.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
      await ensureStream(port, TableName, "KEYS_ONLY", { clock });
      await expect(feed.catchUp()).rejects.toMatchObject({ code: "FEED_STREAM_VIEW_UNSUITABLE" });
      await feed.rebuild();
      await feed.catchUp();
      await expectEvents(feed, 3);
    });
  });
});
