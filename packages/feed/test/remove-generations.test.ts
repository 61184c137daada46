import { type DynamoPort, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import type { LayoutName } from "@tablekeep/journal";
import { expect, test } from "vitest";
import type { FeedEvent } from "../src/index.ts";
import { appendSome, expectWhole, type FeedWorld, feedOf, newWorld } from "./feed-world.ts";

class Died extends Error {}

/** A port whose process ends with its nth request: before it is sent, or after it is applied. */
function mortal(port: DynamoPort, nth: number, isApplied: boolean): DynamoPort {
  let requests = 0;
  return wrapPort(port, async (operation, input, options, next) => {
    if (++requests < nth) return next(operation, input, options);
    if (requests === nth && isApplied) await next(operation, input, options);
    throw new Died();
  });
}

/** A port that pauses before its nth request until it is resumed. */
function paused(port: DynamoPort, nth: number) {
  let requests = 0;
  let goOn = () => {};
  let hasStopped = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const stopped = new Promise<void>((resolve) => {
    hasStopped = resolve;
  });
  const wrapped = wrapPort(port, async (operation, input, options, next) => {
    if (++requests === nth) {
      hasStopped();
      await gate;
    }
    return next(operation, input, options);
  });
  return { port: wrapped, stopped, goOn };
}

async function newFeed(layout: LayoutName = "packed"): Promise<FeedWorld> {
  const world = await newWorld(await openEngine({ storage: { kind: "memory" } }), {
    table: "events",
    layout,
  });
  await appendPages(world, 3);
  return world;
}

/** Appends events, and brings them into as many pages of each slice. */
async function appendPages(world: FeedWorld, pages: number): Promise<void> {
  const feed = await feedOf(world);
  for (let round = 0; round < pages; round++) {
    await appendSome(world, 4, round);
    await feed.catchUp();
  }
}

/** Returns the items of generations before the current one, by what is left of them. */
async function remains({ port }: FeedWorld): Promise<{ pages: number; marks: number; ends: number }> {
  const { Items = [] } = await port.scan({ TableName: "events" });
  const record = Items.find((item) => item["feed_state"] !== undefined);
  expect(record?.["old"]).toBeUndefined();
  const left = { pages: 0, marks: 0, ends: 0 };
  for (const item of Items) {
    const key = item["par"]?.S ?? item["key"]?.S ?? "";
    const [, generation = ""] = /-F-all-(\d+)-/.exec(key) ?? [];
    if (generation === "" || generation === record?.["generation"]?.N) continue;
    if (item["followed_by"] !== undefined) left.ends++;
    else if (item["refs"] !== undefined) left.pages++;
    else left.marks++;
  }
  return left;
}

test.each<LayoutName>(["packed", "scattered"])(
  "removes the pages of old generations, and nothing of the current one (%s)",
  async (layout) => {
    const world = await newFeed(layout);
    const feed = await feedOf(world);
    // More pages than one request removes.
    await appendPages(world, 25);
    expect(await feed.removeOld()).toBe(0);
    await feed.rebuild({ slices: 4 });
    // Before the new generation is complete, the old one stays.
    expect(await feed.removeOld()).toBe(0);
    await feed.catchUp();
    expect(await feed.removeOld()).toBeGreaterThan(25);
    expect(await feed.removeOld()).toBe(0);
    const { Items = [] } = await world.port.scan({ TableName: "events" });
    const ends = Items.filter((item) => item["followed_by"] !== undefined);
    expect(ends).toHaveLength(2);
    expect((await feed.verify()).findings).toEqual([]);
    await world.port.close();
  },
);

test("a removal that ends at any request is completed by the next", async () => {
  const world = await newFeed();
  const feed = await feedOf(world);
  let deaths = 0;
  for (let nth = 1, isDone = false; !isDone; nth++) {
    for (const isApplied of [false, true]) {
      await appendPages(world, 2);
      await feed.rebuild();
      await feed.catchUp();
      const removing = feedOf(world, mortal(world.port, nth, isApplied)).then((mine) => mine.removeOld());
      isDone = await removing.then(
        () => true,
        () => false,
      );
      if (!isDone) deaths++;
      await feed.removeOld();
      expect(await remains(world)).toMatchObject({ pages: 0, marks: 0 });
    }
  }
  expect(deaths).toBeGreaterThan(20);
  await expectWhole(world);
  await world.port.close();
});

test("a sequencer that pauses at any request while its generation is removed adds nothing to it", async () => {
  const world = await newFeed();
  let pauses = 0;
  for (let nth = 1, isDone = false; !isDone; nth++) {
    await appendSome(world, 4, nth);
    const slow = paused(world.port, nth);
    const sequencing = feedOf(world, slow.port).then((feed) => feed.catchUp());
    isDone = await Promise.race([slow.stopped.then(() => false), sequencing.then(() => true)]);
    if (!isDone) pauses++;
    const feed = await feedOf(world);
    await feed.rebuild();
    await feed.catchUp();
    await feed.removeOld();
    slow.goOn();
    await sequencing;
    expect(await remains(world)).toMatchObject({ pages: 0 });
  }
  expect(pauses).toBeGreaterThan(10);
  await expectWhole(world);
  await world.port.close();
});

test("two removals at the same time remove everything once", async () => {
  const world = await newFeed();
  const feed = await feedOf(world);
  for (let round = 0; round < 3; round++) {
    await appendPages(world, 2);
    await feed.rebuild();
    await feed.catchUp();
  }
  await Promise.all([feed.removeOld(), (await feedOf(world)).removeOld()]);
  expect(await remains(world)).toEqual({ pages: 0, marks: 0, ends: 6 });
  await expectWhole(world);
  await world.port.close();
});

test.each([false, true])("a reader of a generation that is removed fails (live: %s)", async (live) => {
  const world = await newFeed();
  // More than a reader reads at once.
  await appendPages(world, 34);
  const feed = await feedOf(world, world.port, { pollMs: 1 });
  const events: FeedEvent[] = [];
  const reading = (async () => {
    for await (const event of feed.read({ live })) {
      events.push(event);
      if (events.length > 1) continue;
      await feed.rebuild();
      await feed.catchUp();
      await feed.removeOld();
    }
  })();
  const error = { code: "FEED_POSITION_OUTDATED", details: { generation: 1, current: 2 } };
  await expect(reading).rejects.toMatchObject(error);
  expect(events.length).toBeLessThan([...world.appended.values()].reduce((sum, count) => sum + count, 0));
  await expectWhole(world);
  await world.port.close();
});
