import type { AttributeValue, Item } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { openJournal, unwrap } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import type { Feed, UnreadableEvent } from "../src/index.ts";
import { appendSome, expectWhole, type FeedWorld, feedOf, newWorld } from "./feed-world.ts";

const TableName = "events";
const keys = {
  record: { par: { S: "journal-F-all" }, num: { N: "0" } },
  checkpoint: { par: { S: "journal-F-all-1-checkpoint" }, num: { N: "0" } },
  lease: { par: { S: "journal-F-all-lease" }, num: { N: "0" } },
  page: { par: { S: "journal-F-all-1-1-0" }, num: { N: "0" } },
} as const;

async function fedWorld(): Promise<FeedWorld> {
  const world = await newWorld(await openEngine({ storage: { kind: "memory" } }), { table: TableName });
  await appendSome(world, 6);
  await (await feedOf(world)).catchUp();
  return world;
}

/** Changes an attribute of an item. Returns what was stored. */
async function change(
  { port }: FeedWorld,
  Key: Item,
  name: string,
  to: (before: AttributeValue) => AttributeValue,
) {
  const { Item: stored = {} } = await port.getItem({ TableName, Key, ConsistentRead: true });
  expect(stored).toHaveProperty(name);
  await port.putItem({ TableName, Item: { ...stored, [name]: to(stored[name] as AttributeValue) } });
  return stored;
}

const asText = ({ N = "" }: AttributeValue): AttributeValue => ({ S: N });

describe("an attribute of another type", () => {
  test.each<["record" | "checkpoint", string, (before: AttributeValue) => AttributeValue]>([
    ["record", "generation", asText],
    ["record", "slices", () => ({ N: "3" })],
    ["record", "arn", () => ({ NULL: true })],
    ["record", "swept_at", asText],
    ["checkpoint", "version", asText],
    ["checkpoint", "arn", () => ({ N: "1" })],
    ["checkpoint", "seen_until", asText],
    ["checkpoint", "shards", () => ({ L: [] })],
    [
      "checkpoint",
      "shards",
      ({ M = {} }) => ({ M: Object.fromEntries(Object.keys(M).map((id) => [id, { N: "1" }])) }),
    ],
    ["checkpoint", "tails", ({ L = [] }) => ({ L: L.map(asText) })],
  ])("of the %s, %s, is reported by all calls", async (what, name, to) => {
    const world = await fedWorld();
    await using _port = world.port;
    await change(world, keys[what], name, to);
    const feed = await feedOf(world);
    const error = {
      code: "FEED_ITEM_CORRUPT",
      kind: "corrupt",
      details: { table: TableName, key: keys[what] },
    };
    await expect(feed.status()).rejects.toMatchObject(error);
    await expect(feed.catchUp()).rejects.toMatchObject(error);
    await expect(feed.run({ signal: new AbortController().signal })).rejects.toMatchObject(error);
  });

  test.each(["first", "count", "at", "hi"])("of a page, %s, is reported by readers", async (name) => {
    const world = await fedWorld();
    await using _port = world.port;
    await change(world, keys.page, name, asText);
    const read = async () => {
      for await (const _event of (await feedOf(world)).read());
    };
    await expect(read()).rejects.toMatchObject({ code: "FEED_PAGE_CORRUPT", details: { slice: 1, page: 0 } });
  });
});

test("a feed whose checkpoint was deleted has every event once, after a sweep too", async () => {
  const world = await fedWorld();
  await using _port = world.port;
  await appendSome(world, 6, 1);
  await world.port.deleteItem({ TableName, Key: keys.checkpoint });
  await expectWhole(world);
  await appendSome(world, 6, 2);
  await world.port.deleteItem({ TableName, Key: keys.checkpoint });
  await (await feedOf(world)).requestSweep();
  await expectWhole(world);
});

test("a lease without a time does not keep a feed from being run", async () => {
  const world = await fedWorld();
  await using _port = world.port;
  await world.port.putItem({
    TableName,
    Item: { ...keys.lease, holder: { S: "other" }, until: { S: "soon" } },
  });
  await appendSome(world, 6, 1);
  const stop = new AbortController();
  const feed = await feedOf(world);
  const running = feed.run({ signal: stop.signal });
  const events = async () => (await feed.status()).slices.reduce((sum, slice) => sum + slice.events, 0);
  await expect.poll(events).toBe([...world.appended.values()].reduce((sum, count) => sum + count, 0));
  stop.abort();
  await running;
  await expectWhole(world);
});

describe("an item of the journal that is corrupt", () => {
  const item = (id: string, number: number) => ({
    par: { S: `journal-P-${id}` },
    num: { N: String(number) },
  });
  const damaged = ({ B = new Uint8Array() }: AttributeValue): AttributeValue => {
    const bytes = Uint8Array.from(B);
    bytes[bytes.length - 1] = 255 - (bytes.at(-1) as number);
    return { B: bytes };
  };

  /** Reads the feed. Returns the numbers of each id, those that cannot be read below zero. */
  async function numbersOf(feed: Feed): Promise<Map<string, number[]>> {
    const found = new Map<string, number[]>();
    const add = (id: string, number: number) => found.set(id, [...(found.get(id) ?? []), number]);
    const onUnreadable = ({ persistenceId, sequenceNr }: UnreadableEvent) =>
      void add(persistenceId, -sequenceNr);
    for await (const { persistenceId, sequenceNr } of feed.read({ onUnreadable }))
      add(persistenceId, sequenceNr);
    return found;
  }

  /** Appends one event with another writer than that of the events before. */
  async function appendAsOther({ port, options }: FeedWorld, id: string): Promise<void> {
    const other = await openJournal(port, options);
    unwrap(await (await other.recover(id)).append({ payload: "next" }));
  }

  test("does not stop the sequencer, which feeds the write after it and other ids", async () => {
    const world = await newWorld(await openEngine({ storage: { kind: "memory" } }), { table: TableName });
    await using _port = world.port;
    const feed = await feedOf(world);
    unwrap(await world.journal.append("thing|1", { payload: 1 }));
    await appendAsOther(world, "thing|1");
    await change(world, item("thing|1", 1), "ev", damaged);
    unwrap(await world.journal.append("thing|2", { payload: 1 }));
    await feed.catchUp();
    expect([...(await numbersOf(feed))].toSorted()).toEqual([
      ["thing|1", [-1, 2]],
      ["thing|2", [1]],
    ]);
    // Another process, which remembers nothing.
    await appendAsOther(world, "thing|1");
    await change(world, item("thing|1", 2), "ev", damaged);
    const other = await feedOf(world);
    await other.catchUp();
    expect((await numbersOf(other)).get("thing|1")).toEqual([-1, -2, 3]);
    expect((await other.verify()).findings).toEqual([]);
  });

  test("does not keep a sweep from adding the other events, nor a verification from comparing them", async () => {
    const world = await newWorld(await openEngine({ storage: { kind: "memory" } }), { table: TableName });
    await using _port = world.port;
    const events = [{ payload: 1 }, { payload: 2 }];
    for (const id of ["thing|1", "thing|2", "thing|3"]) {
      unwrap(await world.journal.append(id, { payload: 0 }));
      unwrap(await world.journal.append(id, events));
      unwrap(await world.journal.append(id, { payload: 3 }));
    }
    await change(world, item("thing|1", 1), "ev", damaged);
    await change(world, item("thing|2", 2), "ev", damaged);
    await change(world, item("thing|3", 4), "ev", damaged);
    const feed = await feedOf(world);
    await feed.catchUp();
    const expected = [
      ["thing|1", [-1, 2, 3, 4]],
      ["thing|2", [1, -2, -3, 4]],
      ["thing|3", [1, 2, 3, -4]],
    ];
    expect([...(await numbersOf(feed))].toSorted()).toEqual(expected);
    expect(await feed.verify()).toMatchObject({ ids: 3, writes: 9, findings: [] });
    await feed.requestSweep();
    await feed.catchUp();
    expect([...(await numbersOf(feed))].toSorted()).toEqual(expected);
  });
});
