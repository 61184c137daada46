import { wrapPort } from "@tablekeep/core";
import { expect, test } from "vitest";
import { sliceOf } from "../../src/index.ts";
import { openFeedParts } from "../../src/open-feed.ts";
import { defineProjection } from "../../src/projections/index.ts";
import { projectionKey } from "../../src/projections/store/projection-items.ts";
import { feedOf } from "../feed-world.ts";
import {
  caughtUp,
  expectAllApplied,
  feedSome,
  listProjection,
  listsOf,
  newProjectionWorld,
  running,
} from "./projection-world.ts";

const poisoned = "thing|1";
const slice = sliceOf(poisoned, 2);

test("an event that fails stops its slice, and neither the other slice nor another projection", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  let isBad = true;
  const bad = listProjection(world, { fails: (id, nr) => isBad && id === poisoned && nr === 2 });
  const seen: string[] = [];
  const good = defineProjection({
    name: "good",
    mode: "at-least-once",
    handle: ({ persistenceId, sequenceNr }) => void seen.push(`${persistenceId}/${sequenceNr}`),
  });
  await using _run = await running(world, [bad, good]);
  await caughtUp(world, "good");
  expect(new Set(seen).size).toBe([...world.appended.values()].reduce((sum, count) => sum + count, 0));
  await expect.poll(async () => (await world.control.status("lists")).state).toBe("stopped");
  const stopped = (await world.control.status("lists")).slices[slice];
  expect(stopped?.failed).toMatchObject({ persistenceId: poisoned, sequenceNr: 2 });
  expect(stopped?.offset).toBe(stopped?.failed?.offset);
  expect((await listsOf(world)).get(poisoned)).toEqual([1]);
  isBad = false;
  await world.control.resume("lists");
  await caughtUp(world);
  await expectAllApplied(world);
});

test("an event that is skipped is passed, and the next ones are applied", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  await feedSome(world, 6, 1);
  await using _run = await running(world, [
    listProjection(world, { fails: (id, nr) => id === poisoned && nr === 2 }),
  ]);
  await expect.poll(async () => (await world.control.status("lists")).state).toBe("stopped");
  expect(await world.control.skip("lists", slice)).toMatchObject({ persistenceId: poisoned, sequenceNr: 2 });
  await caughtUp(world);
  expect((await listsOf(world)).get(poisoned)).toEqual([1, 3, 4, 5]);
});

test("a parked event takes the later ones of its id with it, which are applied in order afterwards", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  let isBad = true;
  const lists = listProjection(world, {
    onPoison: "park",
    fails: (id, nr) => isBad && id === poisoned && nr === 2,
  });
  await using run = await running(world, [lists]);
  await caughtUp(world);
  await feedSome(world, 6, 1);
  await caughtUp(world);
  expect((await listsOf(world)).get(poisoned)).toEqual([1]);
  const parked = await world.control.parked("lists");
  expect(parked.map(({ sequenceNr, retry }) => ({ sequenceNr, retry }))).toEqual([
    { sequenceNr: 2, retry: false },
    { sequenceNr: 3, retry: true },
    { sequenceNr: 4, retry: true },
    { sequenceNr: 5, retry: true },
  ]);
  expect(parked[0]?.error).toContain("event 2");
  await expect(run.reached(lists, { persistenceId: poisoned, sequenceNr: 4 })).rejects.toMatchObject({
    code: "PROJECTION_EVENT_PARKED",
  });
  // Fails again: stays parked.
  expect(await world.control.retryParked("lists")).toBe(1);
  await expect.poll(async () => (await world.control.parked("lists"))[0]?.retry).toBe(false);
  expect(await world.control.parked("lists")).toHaveLength(4);
  isBad = false;
  expect(await world.control.retryParked("lists", { persistenceId: poisoned })).toBe(1);
  await expect.poll(async () => (await world.control.status("lists")).parked).toBe(0);
  await expectAllApplied(world);
});

test("events behind a dropped one are applied, and a rewind applies parked ones again", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  await feedSome(world, 6, 1);
  let isBad = true;
  const lists = listProjection(world, {
    onPoison: "park",
    fails: (id, nr) => isBad && id === poisoned && nr === 2,
  });
  await using _run = await running(world, [lists]);
  await caughtUp(world);
  const [head] = await world.control.parked("lists");
  expect(await world.control.dropParked("lists", { event: { slice, offset: head?.offset ?? -1 } })).toBe(1);
  await expect.poll(async () => (await listsOf(world)).get(poisoned)).toEqual([1, 3, 4, 5]);
  isBad = false;
  await world.control.rewind("lists", "start");
  await expect.poll(async () => (await listsOf(world)).get(poisoned)?.length).toBe(9);
  await caughtUp(world);
  expect((await world.control.status("lists")).parked).toBe(0);
});

test("what was parked before a rewind is not applied besides", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  let isBad = true;
  const lists = listProjection(world, { onPoison: "park", fails: (id) => isBad && id === poisoned });
  await using _run = await running(world, [lists]);
  await caughtUp(world);
  expect((await world.control.status("lists")).parked).toBe(2);
  isBad = false;
  await world.control.rewind("lists", "start");
  await expect.poll(async () => (await listsOf(world)).get(poisoned)).toEqual([1, 2]);
  await world.control.retryParked("lists");
  await caughtUp(world);
  expect((await world.control.status("lists")).parked).toBe(0);
  expect((await listsOf(world)).get(poisoned)).toEqual([1, 2]);
});

test.each([
  ["PROJECTION_EVENT_TOO_LARGE", 100],
  ["PROJECTION_ACTIONS_OVERLAP", 1],
])("a handler that a transaction cannot hold stops with %s, without retries", async (code, items) => {
  const world = await newProjectionWorld();
  await feedSome(world, 1);
  let calls = 0;
  const large = defineProjection({
    name: "large",
    handle: (_event, tx) => {
      calls++;
      for (let at = 0; at < items; at++) tx.put(world.modelTable, { id: { S: String(at) } });
      const condition = { expression: "attribute_exists(id)" };
      if (code === "PROJECTION_ACTIONS_OVERLAP") tx.put(world.modelTable, { id: { S: "0" } }, { condition });
    },
  });
  await using _run = await running(world, [large]);
  await expect.poll(async () => (await world.control.status("large")).lastError).toContain(code);
  expect((await world.control.status("large")).state).toBe("stopped");
  expect(calls).toBe(1);
});

test("an event is parked whatever its handler throws", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 2);
  const thrown: readonly unknown[] = [
    undefined,
    null,
    Symbol("no"),
    Object.create(null),
    "no",
    // Cut after 300 characters, in the middle of one.
    new Error(`${"x".repeat(299)}\u{1f600}`),
    new Error("\ud83d"),
  ];
  const odd = thrown.map((error, at) =>
    defineProjection({
      name: `odd-${at}`,
      onPoison: "park",
      retry: { attempts: 2, backoffMs: 1, maxBackoffMs: 2 },
      handle: ({ sequenceNr }) => {
        if (sequenceNr === 1) throw error;
      },
    }),
  );
  await using _run = await running(world, odd);
  const texts: (string | undefined)[] = [];
  for (const { name } of odd) {
    await caughtUp(world, name);
    texts.push((await world.control.parked(name, { persistenceId: poisoned }))[0]?.error);
  }
  const cut = `${"x".repeat(299)}\ufffd`;
  const object = "threw an object that is not an Error";
  expect(texts).toEqual(["threw undefined", "threw null", "threw Symbol(no)", object, "no", cut, "\ufffd"]);
});

test("a slice whose last event was skipped waits for the next page", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  const lists = listProjection(world);
  const version = { name: "lists", version: 1 };
  {
    await using _run = await running(world, [lists]);
    await caughtUp(world);
  }
  // The end of the last page, as a place within it.
  const { store } = await openFeedParts(world.port, { journal: world.options });
  const { pages = 0 } = (await (await feedOf(world)).status()).slices[slice] ?? {};
  const last = await store.pages.read({ generation: 1, slice, number: pages - 1 });
  await world.port.updateItem({
    TableName: world.projectionTable,
    Key: projectionKey.slice(version, slice),
    UpdateExpression: "SET #page = :last, #skip = :count",
    ConditionExpression: "#page = :pages",
    ExpressionAttributeNames: { "#page": "page", "#skip": "skip" },
    ExpressionAttributeValues: {
      ":last": { N: String(pages - 1) },
      ":pages": { N: String(pages) },
      ":count": { N: String(last?.count) },
    },
  });
  let reads = 0;
  const port = wrapPort(world.port, (operation, input, options, next) => {
    // Pages that are waited for are polled by reads that are not consistent.
    const { RequestItems = {} } = input as { RequestItems?: Record<string, { ConsistentRead?: boolean }> };
    if (operation === "BatchGetItem" && RequestItems["events"]?.ConsistentRead === true) reads++;
    return next(operation, input, options);
  });
  await using _run = await running(world, [lists], { port, leaseMs: 60_000, pollMs: 10 });
  await expect.poll(() => reads).toBeGreaterThan(0);
  for (let at = 0; at < 500; at++) await world.control.currentVersion("lists");
  expect(reads).toBeLessThan(10);
  await feedSome(world, 6, 1);
  await caughtUp(world);
  await expectAllApplied(world);
});
