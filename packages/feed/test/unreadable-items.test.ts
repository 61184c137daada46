import { type AttributeValue, type Item, systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { unwrap } from "@tablekeep/journal";
import { compactJournal } from "@tablekeep/journal/tools";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import type { Feed, UnreadableEvent } from "../src/index.ts";
import { type FeedWorld, feedOf, newWorld } from "./feed-world.ts";

const TableName = "events";
type LayoutName = "packed" | "bucketed" | "linear" | "scattered";

/** The item of an event. */
async function itemOf({ port }: FeedWorld, layout: LayoutName, id: string, number: number): Promise<Item> {
  const { Items = [] } = await port.scan({ TableName, ConsistentRead: true });
  const isIt = (item: Item): boolean => {
    if (layout === "linear") return item["pid"]?.S === id && item["seq"]?.N === String(number);
    if (layout === "scattered") return item["key"]?.S === `journal-P-${id}-${number}`;
    const par = layout === "packed" ? `journal-P-${id}` : `journal-P-${id}-0`;
    return item["par"]?.S === par && item["num"]?.N === String(number);
  };
  const found = Items.filter(isIt);
  expect(found).toHaveLength(1);
  return found[0] as Item;
}

/** Stores an item without what is needed to read it. Returns what was stored. */
async function destroy(world: FeedWorld, layout: LayoutName, id: string, number: number): Promise<Item> {
  const item = await itemOf(world, layout, id, number);
  const damaged: Record<string, AttributeValue> = { ...item };
  for (const name of ["ev", "events", "pay", "payload", "event"]) delete damaged[name];
  expect(Object.keys(damaged).length).toBeLessThan(Object.keys(item).length);
  await world.port.putItem({ TableName, Item: damaged });
  return item;
}

/** The numbers of each id in a feed, in its order: those that cannot be read are below zero, late ones end in .5. */
async function numbersOf(feed: Feed): Promise<Record<string, number[]>> {
  const found: Record<string, number[]> = {};
  const add = (id: string, number: number) => {
    found[id] = [...(found[id] ?? []), number];
  };
  const onUnreadable = ({ persistenceId, sequenceNr }: UnreadableEvent) => add(persistenceId, -sequenceNr);
  for await (const { persistenceId, sequenceNr, late } of feed.read({ onUnreadable }))
    add(persistenceId, sequenceNr + (late ? 0.5 : 0));
  return found;
}

const ids = ["thing|1", "thing|2", "thing|3", "thing|4", "thing|5"];
const whole = [1, 2, 3, 4];

/** A journal with four events of each id, in writes of one, two and one. */
async function worldOf(layout: LayoutName, clock = systemClock): Promise<FeedWorld> {
  const port = await openEngine({ storage: { kind: "memory" }, clock });
  const world = await newWorld(port, { table: TableName, layout, clock });
  for (const id of ids) {
    unwrap(await world.journal.append(id, { payload: 1 }));
    unwrap(await world.journal.append(id, [{ payload: 2 }, { payload: 3 }]));
    unwrap(await world.journal.append(id, { payload: 4 }));
  }
  return world;
}

const codes = {
  packed: "JOURNAL_ITEM_CORRUPT",
  bucketed: "JOURNAL_ROW_CORRUPT",
  linear: "JOURNAL_ROW_CORRUPT",
  scattered: "JOURNAL_ROW_CORRUPT",
} as const;

describe.each(["packed", "bucketed", "linear", "scattered"] as const)(
  "%s: items without events",
  (layout) => {
    test("are named and counted by a sweep and a verification, which go on with the rest", async () => {
      const world = await worldOf(layout);
      await using _port = world.port;
      const stored = [
        await destroy(world, layout, "thing|1", 1),
        await destroy(world, layout, "thing|2", 2),
        await destroy(world, layout, "thing|3", 4),
      ];
      const code = codes[layout];
      const named = [
        { persistenceId: "thing|1", sequenceNr: 1, code },
        { persistenceId: "thing|2", sequenceNr: 2, code },
        { persistenceId: "thing|3", sequenceNr: 4, code },
      ];
      const byId = (one: { persistenceId?: string }, two: { persistenceId?: string }) =>
        (one.persistenceId ?? "") < (two.persistenceId ?? "") ? -1 : 1;
      // The stream is enabled now: only a sweep finds what was written before.
      const feed = await feedOf(world);
      const { unreadable } = await feed.catchUp();
      expect(unreadable?.count).toBe(3);
      expect(unreadable?.items.toSorted(byId)).toEqual(named);
      expect((await feed.status()).unreadable).toEqual(unreadable);
      const found = await numbersOf(feed);
      expect(found["thing|1"]).toEqual([2, 3, 4]);
      // The other row of its write names it, where each event is a row.
      expect(found["thing|2"]).toEqual(layout === "packed" ? [1, 4] : [1, -2, -3, 4]);
      expect(found["thing|3"]).toEqual([1, 2, 3]);
      expect([found["thing|4"], found["thing|5"]]).toEqual([whole, whole]);

      const { findings, ...counts } = await feed.verify();
      expect(counts).toMatchObject({ ids: 5, unreadable: 3 });
      expect(findings.toSorted(byId)).toMatchObject(
        named.map(({ persistenceId, sequenceNr }) => ({
          kind: "unreadable",
          persistenceId,
          first: sequenceNr,
          last: sequenceNr,
          error: { code, message: expect.any(String) },
        })),
      );

      // Repaired: another sweep adds their events, and says that they follow later ones.
      for (const Item of stored) await world.port.putItem({ TableName, Item });
      await feed.requestSweep();
      expect(await feed.catchUp()).toEqual({});
      expect((await feed.status()).unreadable).toBeUndefined();
      const repaired = await numbersOf(feed);
      expect(repaired["thing|1"]).toEqual([2, 3, 4, 1.5]);
      expect(repaired["thing|2"]).toEqual(layout === "packed" ? [1, 4, 2.5, 3.5] : whole);
      expect(repaired["thing|3"]).toEqual(whole);
      expect(await feed.verify()).toMatchObject({ unreadable: 0, findings: [] });
    });
  },
);

describe.each(["packed", "linear"] as const)("%s: an item that is missing between others", (layout) => {
  test("is named, and the events after it are in the feed", async () => {
    // What is missing may still become visible, so it is read again for a while.
    const clock = fakeClock();
    const world = await worldOf(layout, clock);
    await using _port = world.port;
    const stored = await itemOf(world, layout, "thing|2", 2);
    const names = layout === "packed" ? ["par", "num"] : ["pid", "seq"];
    const Key = Object.fromEntries(names.map((name) => [name, stored[name] as AttributeValue]));
    await world.port.deleteItem({ TableName, Key });
    const feed = await clock.autoAdvance(() => feedOf(world));
    const { unreadable } = await clock.autoAdvance(() => feed.catchUp());
    // In rows, what is left of its write names it.
    const missing = { persistenceId: "thing|2", sequenceNr: 2, code: "JOURNAL_DAMAGED" };
    expect(unreadable).toEqual(layout === "packed" ? { count: 1, items: [missing] } : undefined);
    const found = await clock.autoAdvance(() => numbersOf(feed));
    expect(found["thing|2"]).toEqual(layout === "packed" ? [1, 4] : [1, -2, -3, 4]);
    expect(found["thing|3"]).toEqual(whole);
  });
});

test.each(["packed", "linear"] as const)(
  "%s: a write that is too large for a transaction is in the feed once, also after a corrupt item",
  async (layout) => {
    const port = await openEngine({ storage: { kind: "memory" } });
    await using _port = port;
    const world = await newWorld(port, { table: TableName, layout });
    const payload = layout === "packed" ? "x".repeat(60_000) : "x";
    const events = Array.from({ length: 150 }, () => ({ payload }));
    for (const id of ["large|1", "large|2"]) {
      unwrap(await world.journal.append(id, { payload }));
      unwrap(await world.journal.append(id, events));
      unwrap(await world.journal.append(id, { payload }));
    }
    await destroy(world, layout, "large|1", 1);
    const feed = await feedOf(world);
    expect((await feed.catchUp()).unreadable?.count).toBe(1);
    const all = Array.from({ length: 152 }, (_unused, at) => at + 1);
    expect(await numbersOf(feed)).toEqual({ "large|1": all.slice(1), "large|2": all });
    expect(await feed.verify()).toMatchObject({ unreadable: 1, findings: [{ kind: "unreadable" }] });
  },
);

test("a corrupt item of many writes, or with the wrong count, hides no other item", async () => {
  const port = await openEngine({ storage: { kind: "memory" } });
  await using _port = port;
  const world = await newWorld(port, { table: TableName });
  for (const id of ["thing|1", "thing|2"])
    for (let count = 0; count < 6; count++) unwrap(await world.journal.append(id, { payload: count }));
  await compactJournal(port, { table: TableName }, { persistenceId: "thing|1" });
  for (let count = 0; count < 2; count++) unwrap(await world.journal.append("thing|1", { payload: count }));
  for (const [id, number] of [
    ["thing|1", 1],
    ["thing|2", 2],
  ] as const) {
    const item = await itemOf(world, "packed", id, number);
    await port.putItem({ TableName, Item: { ...item, events: { N: "1000" } } });
  }
  const feed = await feedOf(world);
  expect((await feed.catchUp()).unreadable?.count).toBe(2);
  expect(await numbersOf(feed)).toEqual({ "thing|1": [7, 8], "thing|2": [1, 3, 4, 5, 6] });
});
