import { getEventListeners } from "node:events";
import { systemClock, wrapPort } from "@tablekeep/core";
import { unwrap } from "@tablekeep/journal";
import { describe, expect, test } from "vitest";
import { sliceOf } from "../../src/index.ts";
import { defineProjection } from "../../src/projections/index.ts";
import { feedOf } from "../feed-world.ts";
import {
  caughtUp,
  countOf,
  expectAllApplied,
  feedSome,
  listProjection,
  listsOf,
  newProjectionWorld,
  type ProjectionWorld,
  running,
} from "./projection-world.ts";

test("applies every event once, those of an id in order, and what is appended later", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 8);
  const lists = listProjection(world);
  await using run = await running(world, [lists], { sequencer: true });
  await caughtUp(world);
  await expectAllApplied(world);
  const { last } = unwrap(await world.journal.append("thing|3", [{ payload: 1 }, { payload: 2 }]));
  world.appended.set("thing|3", last);
  await run.reached(lists, { persistenceId: "thing|3", sequenceNr: last });
  await expectAllApplied(world);
  await expect.poll(() => run.status()).toMatchObject([{ name: "lists", version: 1, slices: [0, 1] }]);
  const status = () => world.control.status("lists");
  await expect.poll(status).toMatchObject({ state: "running", lagEvents: 0, runners: [run.runner] });
});

test("leaves no listener on the caller's signal once it has stopped", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 4);
  const { signal } = new AbortController();
  for (let round = 0; round < 3; round++) {
    await using _run = await running(world, [listProjection(world)], { signal, sequencer: true });
    await caughtUp(world);
  }
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("handles only events of a type or with a tag, and passes the others", async () => {
  const world = await newProjectionWorld();
  unwrap(await world.journal.append("cart|1", [{ payload: 1 }]));
  unwrap(await world.journal.append("thing|1", [{ payload: 1, tags: ["red"] }, { payload: 2 }]));
  await feedSome(world, 0);
  const carts = listProjection(world, { name: "carts", feed: { type: "cart" } });
  const seen: number[] = [];
  const red = defineProjection({
    name: "red",
    mode: "at-least-once",
    feed: { tag: "red" },
    handle: ({ sequenceNr }) => void seen.push(sequenceNr),
  });
  await using _run = await running(world, [carts, red]);
  await caughtUp(world, "carts");
  await caughtUp(world, "red");
  expect(await listsOf(world)).toEqual(new Map([["cart|1", [1]]]));
  expect(seen).toEqual([1]);
});

test("ends a wait by its deadline, even if the timer is a moment early", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 1);
  const lists = listProjection(world);
  const deadlineMs = 60_001;
  const after: typeof systemClock.after = (ms, ...rest) =>
    systemClock.after(ms === deadlineMs ? 50 : ms, ...rest);
  const clock = { ...systemClock, after };
  await using run = await running(world, [lists], { clock });
  const future = { persistenceId: "thing|0", sequenceNr: 99 };
  await expect(run.reached(lists, future, { deadlineMs })).rejects.toMatchObject({
    code: "PROJECTION_DEADLINE_EXCEEDED",
  });
});

test("waits for a position of the feed, and ends a wait by deadline and signal", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 4);
  const lists = listProjection(world);
  await using run = await running(world, [lists]);
  const { openFeed } = await import("../../src/index.ts");
  let position = "";
  for await (const event of (await openFeed(world.port, { journal: world.options })).read())
    position = event.position;
  await run.reached(lists, { position });
  await expectAllApplied(world);
  const future = { persistenceId: "thing|1", sequenceNr: 99 };
  await expect(run.reached(lists, future, { deadlineMs: 1000 })).rejects.toMatchObject({
    code: "PROJECTION_DEADLINE_EXCEEDED",
  });
  const stop = new AbortController();
  const waiting = run.reached(lists, future, { signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: "PROJECTION_ABORTED" });
  await expect(run.reached(lists, { position: "nonsense" })).rejects.toMatchObject({
    code: "FEED_POSITION_INVALID",
  });
  const wrong: readonly unknown[] = [
    undefined,
    { first: 1, last: 2 },
    { persistenceId: "thing|1" },
    { persistenceId: "thing|1", sequenceNr: 0 },
    { position: 5 },
    { position, persistenceId: "thing|1", sequenceNr: 1 },
  ];
  for (const target of wrong)
    await expect(run.reached(lists, target as never), JSON.stringify(target)).rejects.toMatchObject({
      code: "PROJECTION_OPTION_INVALID",
    });
  await expect(run.reached(lists, { position }, { deadlineMs: Number.NaN })).rejects.toMatchObject({
    code: "PROJECTION_OPTION_INVALID",
    details: { option: "deadlineMs" },
  });
});

test("stores an external position with the effects, and continues where the other database is", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  const stored = new Map<number, number>();
  const lists = new Map<string, number[]>();
  let failures = 0;
  const external = defineProjection({
    name: "external",
    mode: "external",
    retry: { backoffMs: 1, maxBackoffMs: 2 },
    loadPosition: async (slice) => {
      const offset = stored.get(slice);
      return offset === undefined ? undefined : { offset };
    },
    handle: ({ persistenceId, sequenceNr }, { slice, offset, previous }) => {
      expect(stored.get(slice)).toBe(previous);
      stored.set(slice, offset);
      lists.set(persistenceId, [...(lists.get(persistenceId) ?? []), sequenceNr]);
      // Its answer is lost: the event must not be handled again.
      if (failures++ % 3 === 0) throw new Error("no answer");
    },
  });
  for (const round of [1, 2]) {
    await using _run = await running(world, [external]);
    await caughtUp(world, "external");
    expect(new Map([...lists].map(([id, list]) => [id, list.length]))).toEqual(world.appended);
    for (const list of lists.values()) expect(list).toEqual(list.toSorted((one, other) => one - other));
    if (round === 1) await feedSome(world, 6, 1);
  }
  await expect(world.control.rewind("external", "start")).rejects.toMatchObject({
    code: "PROJECTION_POSITION_EXTERNAL",
  });
});

test("a slice whose external position is not an offset, or does not come, holds up no other", async () => {
  const world = await newProjectionWorld();
  const ids = Array.from({ length: 100 }, (_unused, at) => `${at}|thing`);
  for (const slice of [0, 1])
    unwrap(await world.journal.append(ids.find((id) => sliceOf(id, 2) === slice) ?? "", { payload: 1 }));
  await (await feedOf(world)).catchUp();
  const handled = new Set<number>();
  let wrong: () => unknown = () => ({ offset: "1" });
  const external = defineProjection({
    name: "external",
    mode: "external",
    handlerDeadlineMs: 20,
    loadPosition: async (slice) => (slice === 0 ? (wrong() as never) : undefined),
    handle: (_event, { slice }) => void handled.add(slice),
  });
  await using run = await running(world, [external]);
  const statusOf = async (slice: number) => (await world.control.status("external")).slices[slice];
  await expect.poll(() => statusOf(1)).toMatchObject({ lagEvents: 0 });
  await expect
    .poll(() => statusOf(0))
    .toMatchObject({ offset: 0, error: expect.stringContaining('got "1"') });
  wrong = () => new Promise(() => {});
  const timeout = expect.stringContaining("PROJECTION_HANDLER_TIMEOUT");
  await expect.poll(() => statusOf(0)).toMatchObject({ offset: 0, error: timeout });
  expect(handled).toEqual(new Set([1]));
  wrong = () => undefined;
  await expect.poll(() => statusOf(0)).toMatchObject({ lagEvents: 0 });
  await run.stop();
});

test("does nothing while it is paused, and applies again what it is rewound to", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 3);
  await using _run = await running(world, [listProjection(world)]);
  await caughtUp(world);
  await world.control.pause("lists");
  const before = await countOf(world);
  await feedSome(world, 3, 1);
  expect(await world.control.status("lists")).toMatchObject({ state: "paused" });
  expect((await world.control.status("lists")).lagEvents).toBeGreaterThan(0);
  await world.control.resume("lists");
  await caughtUp(world);
  await expectAllApplied(world);
  expect(await countOf(world)).toBeGreaterThan(before);
  const total = await countOf(world);
  await world.control.rewind("lists", "start");
  await caughtUp(world);
  expect(await countOf(world)).toBe(2 * total);
});

test("builds a new version beside the old one, which readers switch to", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  const old = listProjection(world);
  {
    await using _run = await running(world, [old]);
    await caughtUp(world);
  }
  const next = listProjection(world, { version: 2 });
  await using _run = await running(world, [old, next]);
  expect(await world.control.currentVersion("lists")).toBe(1);
  await caughtUp(world, "lists", 2);
  await world.control.switchTo("lists", 2);
  expect(await world.control.currentVersion("lists")).toBe(2);
  await expectAllApplied(world, 1);
  await expectAllApplied(world, 2);
});

test("rejects a version that is stored with other options, and projections twice", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 1);
  const lists = listProjection(world);
  await using _run = await running(world, [lists]);
  const other = listProjection(world, { feed: { type: "cart" } });
  await expect(running(world, [other])).rejects.toMatchObject({
    code: "PROJECTION_OPTION_INVALID",
    details: { option: "version" },
  });
  for (const wrong of [[lists, lists], lists, [undefined], [{ name: "lists", version: 1 }]])
    await expect(running(world, wrong as never)).rejects.toMatchObject({
      code: "PROJECTION_OPTION_INVALID",
      details: { option: "projections" },
    });
  expect(() => defineProjection({ name: "a b", handle: () => {} })).toThrow(
    expect.objectContaining({ code: "PROJECTION_OPTION_INVALID" }),
  );
  expect(() => defineProjection({ name: "a", mode: "external", handle: () => {} } as never)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ option: "loadPosition" }) }),
  );
});

test("a projection that has caught up reports that its feed was rebuilt", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 4);
  await using _run = await running(world, [listProjection(world)]);
  await caughtUp(world);
  const feed = await feedOf(world);
  await feed.rebuild();
  await feed.catchUp();
  await feed.removeOld();
  const errorOf = async () => (await world.control.status("lists")).lastError;
  await expect.poll(errorOf).toContain("PROJECTION_FEED_CHANGED");
  await expectAllApplied(world);
});

/** Stores that no version is paused, as a `resume` does that was sent before the feed was rebuilt. */
async function unpause({ port, projectionTable: TableName }: ProjectionWorld): Promise<void> {
  const { Items = [] } = await port.scan({ TableName, ConsistentRead: true });
  const paused = Items.filter((item) => item["paused"]?.BOOL === true);
  expect(paused).toHaveLength(1);
  for (const item of paused) await port.putItem({ TableName, Item: { ...item, paused: { BOOL: false } } });
}

test("a projection that is behind reports that its feed was rebuilt, after its pages were removed", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 4);
  let shiftMs = 0;
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + shiftMs };
  await using _run = await running(world, [listProjection(world)], { clock });
  await caughtUp(world);
  await world.control.pause("lists");
  await feedSome(world, 4, 1);
  const feed = await feedOf(world);
  await feed.rebuild();
  await feed.catchUp();
  expect(await feed.removeOld()).toBeGreaterThan(0);
  await expect(world.control.resume("lists")).rejects.toMatchObject({ code: "PROJECTION_FEED_CHANGED" });
  await unpause(world);
  shiftMs = 61_000;
  const behind = async () =>
    (await world.control.status("lists")).slices.filter(({ lagEvents }) => lagEvents > 0);
  const error = expect.stringContaining("PROJECTION_FEED_CHANGED");
  await expect.poll(behind).toEqual([expect.objectContaining({ error })]);
});

describe("a slice that cannot begin", () => {
  /** A world whose two slices have an event each. */
  async function twoSlices() {
    const world = await newProjectionWorld();
    const ids = Array.from({ length: 100 }, (_unused, at) => `${at}|thing`);
    for (const slice of [0, 1])
      unwrap(await world.journal.append(ids.find((id) => sliceOf(id, 2) === slice) ?? "", { payload: 1 }));
    await (await feedOf(world)).catchUp();
    return world;
  }

  test("because its position does not come delays neither the other slices, nor the lease, nor the end", async () => {
    const world = await twoSlices();
    const handled = new Set<number>();
    const external = defineProjection({
      name: "external",
      mode: "external",
      handlerDeadlineMs: 3_600_000,
      loadPosition: (slice) => (slice === 0 ? new Promise(() => {}) : Promise.resolve(undefined)),
      handle: (_event, { slice }) => void handled.add(slice),
    });
    const run = await running(world, [external]);
    await expect.poll(() => handled).toEqual(new Set([1]));
    const renewals = async () => {
      const { Items = [] } = await world.port.scan({ TableName: world.projectionTable });
      return Items.map(({ until }) => Number(until?.N ?? 0)).reduce((one, other) => Math.max(one, other), 0);
    };
    const before = await renewals();
    expect(before).toBeGreaterThan(0);
    await expect.poll(renewals).toBeGreaterThan(before);
    await run.stop();
    const owners = (await world.control.status("external")).slices.map(({ owner }) => owner);
    expect(owners).toEqual([undefined, undefined]);
  });

  test("because a request for it fails delays no other slice", async () => {
    const world = await twoSlices();
    const handled = new Set<number>();
    const external = defineProjection({
      name: "external",
      mode: "external",
      loadPosition: () => Promise.resolve(undefined),
      handle: (_event, { slice }) => void handled.add(slice),
    });
    const port = wrapPort(world.port, (operation, input, options, next) => {
      const isClaim = operation === "UpdateItem" && JSON.stringify(input).includes('"slice-0000"');
      if (isClaim) throw new Error("rejected by the test");
      return next(operation, input, options);
    });
    // So long a lease that the first look at the slices is the only one.
    await using _run = await running(world, [external], { port, leaseMs: 3_600_000 });
    await expect.poll(() => handled).toEqual(new Set([1]));
  });
});
