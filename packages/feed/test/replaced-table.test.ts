/** A table that is replaced while processes read its feed, sequence it or run its projections. */
import { ensureTable } from "@tablekeep/client";
import { openEngine } from "@tablekeep/engine";
import { journalTableSpec, openJournal, unwrap } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import { type Feed, openFeed, sliceOf } from "../src/index.ts";
import { appendSome, type FeedWorld, feedOf, newWorld, replaceItems } from "./feed-world.ts";
import {
  caughtUp,
  countOf,
  feedSome,
  listProjection,
  newProjectionWorld,
  running,
} from "./projections/projection-world.ts";

/** A feed with one page in each slice for each round. */
async function fed(world: FeedWorld, rounds: number): Promise<Feed> {
  const feed = await feedOf(world, world.port, { pollMs: 5 });
  for (let round = 0; round < rounds; round++) {
    await appendSome(world, 6, round);
    await feed.catchUp();
  }
  return feed;
}

function eventsOf({ appended }: FeedWorld): number {
  return [...appended.values()].reduce((sum, count) => sum + count, 0);
}

/** Reads a feed live. `ended` resolves to the error with which the reading ends. */
function following(feed: Feed): { readonly seen: string[]; readonly ended: Promise<unknown> } {
  const seen: string[] = [];
  const read = async () => {
    for await (const { persistenceId, sequenceNr } of feed.read({ live: true }))
      seen.push(`${persistenceId} ${sequenceNr}`);
  };
  return { seen, ended: read().catch((error: unknown) => error) };
}

describe("a live reader whose table is replaced", () => {
  test.each([
    { pages: "more pages", rounds: 5 },
    { pages: "as many pages", rounds: 2 },
    { pages: "fewer pages", rounds: 1 },
  ])("by one with $pages ends with an error, and returns nothing of it", async ({ rounds }) => {
    await using port = await openEngine({ storage: { kind: "memory" } });
    const world = await newWorld(port, { table: "events" });
    const { seen, ended } = following(await fed(world, 2));
    const other = await newWorld(port, { table: "other" });
    await fed(other, rounds);
    await expect.poll(() => seen.length).toBe(eventsOf(world));
    await replaceItems(port, "other", "events");
    expect(await ended).toMatchObject({ code: "FEED_POSITION_INVALID" });
    expect(seen).toHaveLength(eventsOf(world));
  });

  test("by one without the feed, or with another generation or number of slices, ends with an error", async () => {
    await using port = await openEngine({ storage: { kind: "memory" } });
    const world = await newWorld(port, { table: "events" });
    const feed = await fed(world, 1);
    await newWorld(port, { table: "bare" });
    const rebuilt = following(feed);
    await expect.poll(() => rebuilt.seen.length).toBe(eventsOf(world));
    await replaceItems(port, "bare", "events");
    expect(await rebuilt.ended).toMatchObject({ code: "FEED_UNKNOWN" });
    // The next one has an earlier generation than the reader.
    await feed.create();
    await feed.rebuild();
    const later = following(feed);
    const other = await newWorld(port, { table: "other" });
    await (await feedOf(other)).create();
    await replaceItems(port, "other", "events");
    expect(await later.ended).toMatchObject({ code: "FEED_POSITION_OUTDATED" });
    const wide = await newWorld(port, { table: "wide" });
    await (await feedOf(wide, port, { slices: 8 })).create();
    const narrow = following(feed);
    await replaceItems(port, "wide", "events");
    expect(await narrow.ended).toMatchObject({ code: "FEED_POSITION_INVALID" });
  });

  test("item by item, so that the page before is still there, ends with an error", async () => {
    await using port = await openEngine({ storage: { kind: "memory" } });
    const world = await newWorld(port, { table: "events" });
    const feed = await fed(world, 2);
    const { seen, ended } = following(feed);
    const other = await newWorld(port, { table: "other" });
    await fed(other, 9);
    await expect.poll(() => seen.length).toBe(eventsOf(world));
    const slice = sliceOf("thing|0", 2);
    const { pages = 0 } = (await feed.status()).slices[slice] ?? {};
    const Key = { par: { S: `journal-F-all-1-${slice}-0` }, num: { N: String(pages) } };
    const { Item = {} } = await port.getItem({ TableName: "other", Key });
    await port.putItem({ TableName: "events", Item });
    expect(await ended).toMatchObject({ code: "FEED_PAGE_CORRUPT" });
    expect(seen).toHaveLength(eventsOf(world));
  });
});

test("a runner that holds a slice of a replaced table reports it, and applies nothing of the other", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  await feedSome(world, 6, 1);
  const lists = listProjection(world);
  await using run = await running(world, [lists]);
  await caughtUp(world);
  const count = await countOf(world);
  const { slices: before } = await world.control.status("lists");
  const other = await newWorld(world.port, { table: "other" });
  await fed(other, 5);
  await replaceItems(world.port, "other", "events");
  const failing = before.filter(({ offset }) => offset > 0).map(({ slice }) => slice);
  const errors = async () => {
    const { slices } = await world.control.status("lists");
    return failing.map((slice) => slices[slice]?.error?.split(":")[0]);
  };
  await expect.poll(errors).toEqual(failing.map(() => "PROJECTION_POSITION_AHEAD"));
  const { state, slices } = await world.control.status("lists");
  expect(state).toBe("stopped");
  expect(slices.map(({ offset }) => offset)).toEqual(before.map(({ offset }) => offset));
  expect(await countOf(world)).toBe(count);
  expect(run.status()[0]?.lastError).toContain("its table was restored");
});

test("a sequencer whose table is deleted and created again feeds the new one", async () => {
  await using port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, journalTableSpec());
  const feed = await openFeed(port, { leaseMs: 300 });
  const stop = new AbortController();
  const running = feed.run({ signal: stop.signal });
  const seen = async () => {
    const found: string[] = [];
    try {
      for await (const { payload } of feed.read()) found.push(String(payload));
    } catch {
      // It is not there yet.
    }
    return found;
  };
  for (const payload of ["before", "after", "once more"]) {
    if (payload !== "before") await port.deleteTable({ TableName: "events" });
    await ensureTable(port, journalTableSpec());
    unwrap(await (await openJournal(port)).append("a", { payload }));
    await expect.poll(seen).toEqual([payload]);
  }
  expect((await feed.verify()).findings).toEqual([]);
  stop.abort();
  await running;
});
