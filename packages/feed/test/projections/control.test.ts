import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, systemClock, systemRandom, wrapPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { sliceOf } from "../../src/index.ts";
import { openProjections, projectionTableSpec } from "../../src/projections/index.ts";
import { encodeParked, projectionKey } from "../../src/projections/store/projection-items.ts";
import { ProjectionStore } from "../../src/projections/store/projection-store.ts";
import { appendSome, type FeedWorld, feedOf, newWorld } from "../feed-world.ts";

const name = "balances";
/** The slice that has all events. */
const full = sliceOf("thing|0", 2);

/** A feed of two slices with twelve events in one of them, and versions of a projection that is not run. */
async function opened(...versions: number[]) {
  const world = await newWorld(await openEngine({ storage: { kind: "memory" } }), { table: "events" });
  await appendSome(world, 6);
  await (await feedOf(world)).catchUp();
  const { port } = world;
  await ensureTable(port, projectionTableSpec());
  const store = storeOf(port);
  for (const version of versions)
    await store.createVersion({
      name,
      version,
      mode: "exactly-once",
      feed: "all",
      generation: 1,
      slices: 2,
      paused: false,
      revision: 0,
      createdAt: 1,
    });
  return { world, store, projections: await openProjections(port, { feed: { journal: world.options } }) };
}

const storeOf = (port: DynamoPort) =>
  new ProjectionStore({
    port,
    table: "projections",
    clock: systemClock,
    random: systemRandom,
    deadlineMs: 10_000,
  });

async function stopAt(world: FeedWorld, slice: number, offset: number, version = 1): Promise<void> {
  const failed = { offset: { N: String(offset) }, persistence_id: { S: "a" }, error: { S: "no" } };
  await world.port.updateItem({
    TableName: "projections",
    Key: projectionKey.slice({ name, version }, slice),
    UpdateExpression: "SET #offset = :offset, #skip = :offset, #failed = :failed, #owner = :owner",
    ExpressionAttributeNames: {
      "#offset": "offset",
      "#skip": "skip",
      "#failed": "failed",
      "#owner": "owner",
    },
    ExpressionAttributeValues: {
      ":offset": { N: String(offset) },
      ":failed": { M: failed },
      ":owner": { S: "r1" },
    },
  });
}

test("lists projections with their versions, and reports their progress", async () => {
  const { world, projections } = await opened(1, 2);
  expect(await projections.list()).toEqual([{ name, current: 1, versions: [1, 2] }]);
  const status = await projections.status(name);
  expect(status).toMatchObject({
    version: 1,
    current: 1,
    state: "running",
    parked: 0,
    lagEvents: 12,
    runners: [],
  });
  expect(status.slices.map(({ offset }) => offset)).toEqual([0, 0]);
  expect(status.lagMs).toBeGreaterThanOrEqual(0);
  await expect(projections.status("other")).rejects.toMatchObject({ code: "PROJECTION_UNKNOWN" });
  await expect(projections.status(name, { version: 3 })).rejects.toMatchObject({
    code: "PROJECTION_UNKNOWN",
  });
  await world.port.close();
});

test("every change raises the epoch and frees the slice", async () => {
  const { world, store, projections } = await opened(1);
  const position = async () => store.slice({ name, version: 1 }, full);
  await stopAt(world, full, 1);
  await projections.pause(name);
  expect(await position()).toMatchObject({ epoch: 1, offset: 1, failed: { offset: 1 } });
  expect(await position()).not.toHaveProperty("owner");
  expect(await projections.status(name)).toMatchObject({ state: "paused", lastError: "no" });
  await projections.resume(name);
  expect(await position()).toMatchObject({ epoch: 2, offset: 1 });
  expect(await position()).not.toHaveProperty("failed");
  expect(await projections.status(name)).toMatchObject({ state: "running" });
  await projections.rewind(name, "end");
  expect(await projections.status(name)).toMatchObject({ lagEvents: 0 });
  await projections.rewind(name, "start");
  expect(await position()).toMatchObject({ epoch: 4, offset: 0, page: 0, skip: 0 });
  await world.port.close();
});

test("skips the event that stopped a slice, and no other", async () => {
  const { world, store, projections } = await opened(1);
  await expect(projections.skip(name, full)).rejects.toMatchObject({ code: "PROJECTION_NOT_STOPPED" });
  await stopAt(world, full, 1);
  expect(await projections.status(name)).toMatchObject({ state: "stopped" });
  expect(await projections.skip(name, full)).toMatchObject({ offset: 1, persistenceId: "a" });
  expect(await store.slice({ name, version: 1 }, full)).toMatchObject({ offset: 2, epoch: 1 });
  await world.port.close();
});

test("the place after the last event of a page is the next page", async () => {
  const { world, store, projections } = await opened(1);
  await stopAt(world, full, 11);
  await projections.skip(name, full);
  const { pages: page } = (await (await feedOf(world)).status()).slices[full] ?? {};
  expect(await store.slice({ name, version: 1 }, full)).toMatchObject({ offset: 12, page, skip: 0 });
  await world.port.close();
});

test("rejects what is not a place, a name or an option, and changes nothing", async () => {
  const { world, projections } = await opened(1);
  const wrong: readonly [string, () => Promise<unknown>][] = [
    ["to", () => projections.rewind(name, undefined as never)],
    ["to", () => projections.rewind(name, 5 as never)],
    ["to", () => projections.rewind(name, "")],
    ["to", () => projections.rewind(name, new Date("yesterday"))],
    ["name", () => projections.pause(undefined as never)],
    ["name", () => projections.status("")],
    ["versoin", () => projections.pause(name, { versoin: 2 } as never)],
    ["version", () => projections.rewind(name, "end", { version: 1.5 })],
    ["version", () => projections.switchTo(name, "2" as never)],
    ["slice", () => projections.skip(name, Number.NaN)],
    ["limit", () => projections.parked(name, { limit: Number.NaN })],
    ["options", () => projections.dropParked(name, undefined as never)],
    ["event.slice", () => projections.dropParked(name, { event: { slice: "0", offset: 0 } as never })],
    ["deadlineMs", () => projections.list({ deadlineMs: -1 })],
    ["force", () => projections.remove(name, { force: "yes" as never })],
    ["signal", () => projections.resume(name, { signal: 5 as never })],
    ["persistenceId", () => projections.retryParked(name, { persistenceId: "\ud800" })],
  ];
  const before = await projections.status(name);
  for (const [option, call] of wrong)
    await expect(call(), option).rejects.toMatchObject({
      code: "PROJECTION_OPTION_INVALID",
      details: { option },
    });
  const ahead = `1.${Buffer.from([2, 9, 0, 9, 0]).toString("base64url")}`;
  await expect(projections.rewind(name, ahead)).rejects.toMatchObject({ code: "FEED_POSITION_INVALID" });
  expect(await projections.status(name)).toEqual({
    ...before,
    lagMs: expect.any(Number),
    slices: before.slices.map((slice) => ({ ...slice, lagMs: expect.any(Number) })),
  });
  await world.port.close();
});

test("gives up if other processes keep changing the projection", async () => {
  const { world, projections: other } = await opened(1, 2, 3);
  /** Another process makes a change before each write of this one. */
  const contended = (change: () => Promise<void>) => {
    const port = wrapPort(world.port, async (operation, input, options, next) => {
      if (operation === "UpdateItem" || operation === "TransactWriteItems") await change();
      return next(operation, input, options);
    });
    return openProjections(port, { feed: { journal: world.options } });
  };
  const pausing = await contended(() => other.pause(name));
  await expect(pausing.pause(name)).rejects.toMatchObject({
    code: "PROJECTION_CHANGE_CONTENDED",
    details: { name, version: 1 },
    retryable: true,
  });
  expect(await other.status(name)).toMatchObject({ state: "paused" });
  const switching = await contended(() => other.switchTo(name, 3, { force: true }));
  await expect(switching.switchTo(name, 2, { force: true })).rejects.toMatchObject({
    code: "PROJECTION_CHANGE_CONTENDED",
    details: { name, version: 2 },
  });
  expect(await other.currentVersion(name)).toBe(3);
  await world.port.close();
});

test("switches to a version that is as far as the current one, or by force", async () => {
  const { world, projections } = await opened(1, 2, 3);
  await projections.rewind(name, "end");
  await expect(projections.switchTo(name, 2)).rejects.toMatchObject({
    code: "PROJECTION_BEHIND",
    details: { events: 12 },
  });
  await projections.rewind(name, "end", { version: 2 });
  await projections.switchTo(name, 2);
  expect(await projections.currentVersion(name)).toBe(2);
  await projections.switchTo(name, 3, { force: true });
  expect(await projections.currentVersion(name)).toBe(3);
  await world.port.close();
});

test("compares a version of another generation with the feed, whose slices are others", async () => {
  const { world, store, projections } = await opened(1);
  await projections.rewind(name, "end");
  const feed = await feedOf(world);
  await feed.rebuild({ slices: 4 });
  await feed.catchUp();
  const version = {
    name,
    version: 2,
    mode: "exactly-once" as const,
    feed: "all",
    generation: 2,
    slices: 4,
    paused: false,
    revision: 0,
    createdAt: 1,
  };
  await store.createVersion(version);
  await expect(projections.switchTo(name, 2)).rejects.toMatchObject({
    code: "PROJECTION_BEHIND",
    details: { events: 12 },
  });
  await projections.rewind(name, "end", { version: 2 });
  await projections.switchTo(name, 2);
  const old = { code: "PROJECTION_FEED_CHANGED", details: { generation: 1, current: 2 } };
  await expect(projections.rewind(name, "start", { version: 1 })).rejects.toMatchObject(old);
  await expect(projections.skip(name, 0, { version: 1 })).rejects.toMatchObject(old);
  await expect(projections.switchTo(name, 1)).rejects.toMatchObject(old);
  // No process runs it any more: these calls would succeed without an effect.
  const named = { ...old, details: { name, version: 1, generation: 1, current: 2 } };
  await expect(projections.resume(name, { version: 1 })).rejects.toMatchObject(named);
  await expect(projections.retryParked(name, { version: 1 })).rejects.toMatchObject(named);
  await projections.switchTo(name, 1, { force: true });
  expect(await projections.currentVersion(name)).toBe(1);
  // It has caught up with a feed that is no longer there, and gets nothing more.
  const lastError = expect.stringContaining("PROJECTION_FEED_CHANGED");
  expect(await projections.status(name)).toMatchObject({ state: "stopped", outdated: true, lastError });
  expect(await projections.status(name, { version: 2 })).toMatchObject({
    state: "running",
    outdated: false,
    lagEvents: 0,
  });
  await world.port.close();
});

test("removes an unused version, with its positions and parked events", async () => {
  const { world, store, projections } = await opened(1, 2);
  await expect(projections.remove(name, { version: 1 })).rejects.toMatchObject({ code: "PROJECTION_IN_USE" });
  await store.renewRunner({ runner: "r1", until: Date.now() + 60_000, runs: new Map([[`${name}#2`, 1]]) });
  await expect(projections.remove(name, { version: 2 })).rejects.toMatchObject({
    code: "PROJECTION_IN_USE",
    details: { runners: ["r1"] },
  });
  await projections.remove(name, { version: 2, force: true });
  expect(await projections.list()).toEqual([{ name, current: 1, versions: [1] }]);
  await projections.remove(name);
  expect(await projections.list()).toEqual([]);
  const { Items } = await world.port.scan({ TableName: "projections" });
  expect(Items?.map(({ item }) => item)).toEqual([{ S: "r1" }]);
  await world.port.close();
});

test("returns parked events, marks those to retry, and drops them", async () => {
  const { world, store, projections } = await opened(1);
  for (const [offset, persistenceId] of ["a", "b", "a"].entries())
    await world.port.putItem({
      TableName: "projections",
      Item: encodeParked(
        { name, version: 1 },
        {
          slice: 0,
          offset,
          persistenceId,
          sequenceNr: 1,
          error: "no",
          at: 1,
          first: 1,
          last: 1,
          mark: 1,
          retry: false,
        },
      ),
    });
  expect((await projections.parked(name)).map(({ offset }) => offset)).toEqual([0, 1, 2]);
  expect(await projections.parked(name, { limit: 1 })).toHaveLength(1);
  expect(await projections.retryParked(name, { persistenceId: "a" })).toBe(1);
  expect((await projections.parked(name)).map(({ retry }) => retry)).toEqual([true, false, false]);
  expect(await store.slice({ name, version: 1 }, 0)).toMatchObject({ epoch: 1 });
  await expect(projections.dropParked(name, {})).rejects.toMatchObject({ code: "PROJECTION_OPTION_INVALID" });
  expect(await projections.dropParked(name, { event: { slice: 0, offset: 0 } })).toBe(1);
  expect(await projections.dropParked(name, { persistenceId: "b" })).toBe(1);
  expect(await projections.dropParked(name, { all: true })).toBe(1);
  expect((await projections.status(name)).parked).toBe(0);
  await world.port.close();
});
