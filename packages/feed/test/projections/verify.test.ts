import { ensureTable } from "@tablekeep/client";
import { type Item, systemClock, systemRandom } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { expect, test } from "vitest";
import {
  defineProjection,
  openProjections,
  projectionTableSpec,
  runProjections,
} from "../../src/projections/index.ts";
import { encodeParked, projectionKey } from "../../src/projections/store/projection-items.ts";
import { ProjectionStore } from "../../src/projections/store/projection-store.ts";
import { appendSome, feedOf, newWorld } from "../feed-world.ts";

const name = "balances";
const key = { name, version: 1 };
const number = (value: number) => ({ N: String(value) });

/** A projection that has applied every event of a feed and is no longer run. */
async function applied() {
  const world = await newWorld(await openEngine({ storage: { kind: "memory" } }), { table: "events" });
  const { port } = world;
  await appendSome(world, 6);
  const feed = await feedOf(world);
  await feed.catchUp();
  await ensureTable(port, projectionTableSpec());
  const applies = defineProjection({
    name,
    version: 1,
    mode: "at-least-once",
    handle: async () => undefined,
  });
  const running = await runProjections(port, [applies], { feed: { journal: world.options } });
  const projections = await openProjections(port, { feed: { journal: world.options } });
  await expect.poll(async () => (await projections.status(name)).lagEvents).toBe(0);
  await running.stop();
  const { events, slice } = (await projections.status(name)).slices.reduce((one, other) =>
    one.events > other.events ? one : other,
  );
  /** Changes attributes of the position of a slice. */
  const change = async (changes: Item, of = slice): Promise<void> => {
    const Key = projectionKey.slice(key, of);
    const { Item = {} } = await port.getItem({ TableName: "projections", Key });
    await port.putItem({ TableName: "projections", Item: { ...Item, ...changes } });
  };
  return { world, port, feed, projections, slice, events, change };
}

test("finds nothing in a projection that has caught up, or is in the middle of the feed", async () => {
  const { port, projections } = await applied();
  expect(await projections.verify(name)).toEqual({ versions: 1, slices: 2, parked: 0, findings: [] });
  for (const to of ["start", "end"] as const) {
    await projections.rewind(name, to);
    expect((await projections.verify(name, { version: 1 })).findings).toEqual([]);
  }
  await expect(projections.verify("other")).rejects.toMatchObject({ code: "PROJECTION_UNKNOWN" });
  await expect(projections.verify(name, { version: 2 })).rejects.toMatchObject({
    code: "PROJECTION_UNKNOWN",
  });
  await port.close();
});

test("accepts the positions after each event", async () => {
  const { port, feed, projections } = await applied();
  for await (const { position } of feed.read()) {
    await projections.rewind(name, position);
    expect((await projections.verify(name)).findings).toEqual([]);
  }
  await port.close();
});

test("finds positions that the feed does not have, or that contradict themselves", async () => {
  const { port, projections, slice, events, change } = await applied();
  await change({ offset: number(events + 1) });
  expect((await projections.verify(name)).findings).toMatchObject([
    { kind: "ahead", severity: "error", name, version: 1, slice, offset: events + 1 },
  ]);
  for (const position of [
    { offset: number(1), page: number(0), skip: number(0) },
    { offset: number(0), page: number(99), skip: number(0) },
    { offset: number(0), page: number(99), skip: number(1) },
  ]) {
    await change(position);
    expect((await projections.verify(name)).findings).toMatchObject([
      { kind: "position", severity: "error", slice },
    ]);
  }
  await port.deleteItem({ TableName: "projections", Key: projectionKey.slice(key, slice) });
  expect((await projections.verify(name)).findings).toMatchObject([
    { kind: "slices", severity: "error", slice },
  ]);
  await port.close();
});

test("finds slices that were stopped or left, and parked events that the feed does not have", async () => {
  const { port, feed, projections, slice, change } = await applied();
  await change({
    owner: { S: "gone" },
    failed: {
      M: { offset: number(0), persistence_id: { S: "a" }, sequence_nr: number(1), error: { S: "no" } },
    },
  });
  const store = new ProjectionStore({
    port,
    table: "projections",
    clock: systemClock,
    random: systemRandom,
    deadlineMs: 10_000,
  });
  const park = (offset: number, persistenceId: string, sequenceNr: number) =>
    port.putItem({
      TableName: store.context.table,
      Item: encodeParked(key, {
        slice,
        offset,
        persistenceId,
        sequenceNr,
        error: "no",
        at: 1,
        first: 1,
        last: 1,
        mark: 0,
        retry: false,
      }),
    });
  for await (const event of feed.read())
    if (event.slice === slice) await park(event.offset, event.persistenceId, event.sequenceNr);
  const { parked, findings } = await projections.verify(name);
  expect(findings).toMatchObject([
    { kind: "stopped", severity: "warning", slice },
    { kind: "abandoned", severity: "info", slice },
    { kind: "parked", severity: "info" },
  ]);
  await park(0, "another", 1);
  await park(1000, "thing|0", 1);
  expect(
    (await projections.verify(name)).findings.filter(({ severity }) => severity === "error"),
  ).toMatchObject([
    { kind: "parked-unknown", slice, offset: 0 },
    { kind: "parked-unknown", slice, offset: 1000 },
  ]);
  expect(parked).toBeGreaterThan(1);
  await port.close();
});

test("finds versions that follow an old feed, are not stored, or are read and do not exist", async () => {
  const { port, feed, projections } = await applied();
  await feed.rebuild({ slices: 4 });
  await feed.catchUp();
  expect((await projections.verify(name)).findings).toMatchObject([{ kind: "outdated", severity: "error" }]);
  await port.putItem({
    TableName: "projections",
    Item: { ...projectionKey.registry(name), current: number(3), versions: { NS: ["2"] } },
  });
  expect((await projections.verify(name)).findings).toMatchObject([
    { kind: "current", severity: "error", version: 3 },
    { kind: "version", severity: "error", version: 2 },
  ]);
  await port.close();
});
