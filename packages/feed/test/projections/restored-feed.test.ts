import { unwrap } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { sliceOf } from "../../src/index.ts";
import { openProjections } from "../../src/projections/index.ts";
import { appendSome, feedOf, newWorld } from "../feed-world.ts";
import {
  caughtUp,
  countOf,
  expectAllApplied,
  feedSome,
  listProjection,
  newProjectionWorld,
  running,
} from "./projection-world.ts";

test("a projection that is ahead of a restored feed reports it, and applies nothing", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  const lists = listProjection(world);
  {
    await using _run = await running(world, [lists]);
    await caughtUp(world);
  }
  // The journal as it was earlier, and other events since.
  const earlier = { ...world, ...(await newWorld(world.port, { table: "restored" })) };
  await appendSome(earlier, 1);
  const feed = await feedOf(earlier);
  await feed.catchUp();
  const count = await countOf(world);
  const restored = { feed: { journal: earlier.options } };
  {
    await using _run = await running(world, [lists], restored);
    const control = await openProjections(world.port, { table: world.projectionTable, ...restored });
    const slice = sliceOf("thing|0", 2);
    const errorOf = async () => (await control.status("lists")).slices[slice]?.error;
    const error = expect.stringContaining("PROJECTION_POSITION_AHEAD");
    const stopped = { state: "stopped", outdated: false, lastError: error };
    expect(await control.status("lists")).toMatchObject(stopped);
    await expect.poll(errorOf).toContain("PROJECTION_POSITION_AHEAD");
    for (const offset of [1, 2, 3]) {
      await appendSome(earlier, 6, offset);
      await feed.catchUp();
    }
    expect(await errorOf()).toContain("PROJECTION_POSITION_AHEAD");
    expect(await control.status("lists")).toMatchObject(stopped);
    expect(await countOf(world)).toBe(count);
  }
  const again = listProjection(world, { version: 2 });
  await using run = await running(world, [again], restored);
  for (const [persistenceId, sequenceNr] of earlier.appended)
    await run.reached(again, { persistenceId, sequenceNr });
  expect(await countOf(world, 2)).toBe([...earlier.appended.values()].reduce((sum, each) => sum + each, 0));
});

test("a projection notices a feed that was restored and filled again to the same offsets", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  await feedSome(world, 6, 1);
  const lists = listProjection(world);
  {
    await using _run = await running(world, [lists]);
    await caughtUp(world);
  }
  // Other events, in pages with the same numbers and offsets.
  const other = { ...world, ...(await newWorld(world.port, { table: "restored" })) };
  const feed = await feedOf(other);
  for (const offset of [0, 1]) {
    await appendSome(other, 6, offset);
    await feed.catchUp();
  }
  const { slices } = await (await feedOf(world)).status();
  expect((await feed.status()).slices).toEqual(slices);
  await appendSome(other, 6, 2);
  await feed.catchUp();
  const count = await countOf(world);
  const restored = { feed: { journal: other.options } };
  const control = await openProjections(world.port, { table: world.projectionTable, ...restored });
  const slice = sliceOf("thing|0", 2);
  const errorOf = async () => (await control.status("lists")).slices[slice]?.error;
  {
    await using _run = await running(world, [lists], restored);
    await expect.poll(errorOf).toContain("PROJECTION_POSITION_AHEAD");
    expect(await control.status("lists")).toMatchObject({ state: "stopped" });
    expect(await countOf(world)).toBe(count);
  }
  // The feed that it followed goes on.
  await feedSome(world, 6, 2);
  await using _run = await running(world, [lists]);
  await caughtUp(world);
  await expectAllApplied(world);
});

test("the status reports the other slices where the last page of one is corrupt", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  {
    await using _run = await running(world, [listProjection(world)]);
    await caughtUp(world);
  }
  const damaged = sliceOf("thing|0", 2);
  const other = 1 - damaged;
  const id = ["a", "b", "c", "d"].find((each) => sliceOf(each, 2) === other) ?? "";
  const before = await world.control.status("lists");
  unwrap(await world.journal.append(id, { payload: 1 }));
  world.appended.set(id, 1);
  await feedSome(world, 6, 1);
  const feed = await feedOf(world);
  const { pages = 0 } = (await feed.status()).slices[damaged] ?? {};
  const TableName = "events";
  const Key = { par: { S: `journal-F-all-1-${damaged}-0` }, num: { N: String(pages - 1) } };
  const { Item: page = {} } = await world.port.getItem({ TableName, Key, ConsistentRead: true });
  await world.port.putItem({ TableName, Item: { ...page, count: { S: "many" } } });
  const error = expect.stringContaining(`FEED_PAGE_CORRUPT: page ${pages - 1} of slice ${damaged}`);
  const { slices } = await feed.status();
  expect(slices[damaged]).toEqual({ pages, events: before.slices[damaged]?.events, error });
  expect(slices[other]).toEqual({ pages: 1, events: 1 });
  const status = await world.control.status("lists");
  expect(status).toMatchObject({ state: "running", lastError: error });
  expect(status.slices[damaged]).toMatchObject({ lagEvents: 0, error });
  expect(status.slices[other]).toMatchObject({ lagEvents: 1, events: 1 });
  // The position at the end of the feed can be asked for, and restoring the page helps.
  await feed.position("end");
  await world.port.putItem({ TableName, Item: page });
  await using _run = await running(world, [listProjection(world)]);
  await caughtUp(world);
  await expectAllApplied(world);
});
