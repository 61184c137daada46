import { systemClock } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { unwrap } from "@tablekeep/journal";
import { fakeClock } from "@tablekeep/testkit";
import { expect, test } from "vitest";
import { openFeed } from "../src/index.ts";
import { newWorld } from "./feed-world.ts";
import {
  caughtUp,
  expectAllApplied,
  feedSome,
  listProjection,
  newProjectionWorld,
  running,
} from "./projections/projection-world.ts";

const years = 10 * 365 * 24 * 3600 * 1000;

test("a feed is run although a process whose clock was years ahead has left its lease", async () => {
  const clock = fakeClock();
  await using port = await openEngine({ storage: { kind: "memory" }, clock });
  const { journal } = await newWorld(port, { table: "events", clock });
  unwrap(await journal.append("a", { payload: 1 }));
  const feed = await openFeed(port, { journal: { table: "events" }, clock });
  await clock.autoAdvance(() => feed.create());
  await port.putItem({
    TableName: "events",
    Item: {
      par: { S: "journal-F-all-lease" },
      num: { N: "0" },
      holder: { S: "gone" },
      until: { N: String(clock.now() + years) },
    },
  });
  await clock.autoAdvance(async () => {
    const stop = new AbortController();
    await feed.run({ signal: stop.signal, onProgress: () => stop.abort() });
  });
  const seen: unknown[] = [];
  for await (const { payload } of feed.read()) seen.push(payload);
  expect(seen).toEqual([1]);
});

test("the slices of a process are claimed if its clock was years ahead and it renews nothing", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 20);
  const until = { N: String(Date.now() + years) };
  // More processes than slices: this one gets at most one.
  for (const name of ["gone-1", "gone-2", "gone-3"])
    await world.port.putItem({
      TableName: world.projectionTable,
      Item: {
        projection: { S: "#runners" },
        item: { S: name },
        until,
        runs: { M: { "lists#1": { N: "0" } } },
      },
    });
  let shiftMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + shiftMs };
  await using run = await running(world, [listProjection(world)], { clock });
  expect(run.status()[0]?.slices.length).toBeLessThan(2);
  shiftMs = 11 * 60_000;
  await caughtUp(world);
  await expectAllApplied(world);
});
