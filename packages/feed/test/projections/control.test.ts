import { ensureTable } from "@tablekeep/client";
import { type DynamoPort, systemClock, systemRandom } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import { openProjections, projectionTableSpec } from "../../src/projections/index.ts";
import { encodeParked, projectionKey } from "../../src/projections/store/projection-items.ts";
import { ProjectionStore } from "../../src/projections/store/projection-store.ts";
import { appendSome, type FeedWorld, feedOf, newWorld } from "../feed-world.ts";

const name = "balances";

/** A feed of two slices with eleven events, and versions of a projection that is not run. */
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

test("lists projections with their versions, and says how far one is", async () => {
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
  const position = async () => store.slice({ name, version: 1 }, 0);
  await stopAt(world, 0, 1);
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
  await expect(projections.skip(name, 0)).rejects.toMatchObject({ code: "PROJECTION_NOT_STOPPED" });
  await stopAt(world, 0, 1);
  expect(await projections.status(name)).toMatchObject({ state: "stopped" });
  expect(await projections.skip(name, 0)).toMatchObject({ offset: 1, persistenceId: "a" });
  expect(await store.slice({ name, version: 1 }, 0)).toMatchObject({ offset: 2, skip: 2, epoch: 1 });
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
