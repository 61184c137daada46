import { ensureTable } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { createCodecs, openJournal, unwrap } from "@tablekeep/journal";
import { encryptedCodecs, keyTableSpec, openKeyStore } from "@tablekeep/journal/encryption";
import { expect, test } from "vitest";
import { type ReadFeedOptions, sliceOf, type UnreadableEvent } from "../../src/index.ts";
import { feedOf } from "../feed-world.ts";
import {
  caughtUp,
  expectAllApplied,
  feedSome,
  listProjection,
  listsOf,
  newProjectionWorld,
  type ProjectionWorld,
  running,
} from "./projection-world.ts";

const poisoned = "thing|1";
const slice = sliceOf(poisoned, 2);

/** Damages the item of an id that begins at a sequence number. Returns what restores it. */
async function damage({ port }: ProjectionWorld, id: string, number: number): Promise<() => Promise<void>> {
  const TableName = "events";
  const Key = { par: { S: `journal-P-${id}` }, num: { N: String(number) } };
  const { Item: stored = {} } = await port.getItem({ TableName, Key, ConsistentRead: true });
  const bytes = Uint8Array.from(stored["ev"]?.B ?? []);
  expect(bytes.length).toBeGreaterThan(0);
  bytes[bytes.length - 1] = 255 - (bytes.at(-1) as number);
  const put = async (Item: Item) => void (await port.putItem({ TableName, Item }));
  await put({ ...stored, ev: { B: bytes } });
  return () => put(stored);
}

/** Two writes of each id: 1 to 2 events, and 2 to 3. */
async function newWorld(): Promise<ProjectionWorld> {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  await feedSome(world, 6, 1);
  return world;
}

/** The numbers that all ids but the damaged one have. */
function othersOf({ appended }: ProjectionWorld): [string, number][] {
  return [...appended].filter(([id]) => id !== poisoned);
}

async function lengths(world: ProjectionWorld): Promise<[string, number][]> {
  const lists = await listsOf(world);
  return othersOf(world).map(([id]) => [id, lists.get(id)?.length ?? 0]);
}

test("an event that cannot be read stops its slice, after the events before it, and is applied once it can", async () => {
  const world = await newWorld();
  const restore = await damage(world, poisoned, 3);
  await using _run = await running(world, [listProjection(world)]);
  await expect.poll(async () => (await world.control.status("lists")).state).toBe("stopped");
  const stopped = (await world.control.status("lists")).slices[slice];
  expect(stopped?.failed).toMatchObject({ persistenceId: poisoned, sequenceNr: 3 });
  expect(stopped?.failed?.error).toContain("JOURNAL_ITEM_CORRUPT");
  expect(stopped?.offset).toBe(stopped?.failed?.offset);
  expect((await listsOf(world)).get(poisoned)).toEqual([1, 2]);
  await restore();
  await world.control.resume("lists");
  await caughtUp(world);
  await expectAllApplied(world);
});

test("an event that cannot be read can be skipped", async () => {
  const world = await newWorld();
  await damage(world, poisoned, 1);
  await using _run = await running(world, [listProjection(world)]);
  for (const sequenceNr of [1, 2]) {
    const failed = async () => (await world.control.status("lists")).slices[slice]?.failed?.sequenceNr;
    await expect.poll(failed).toBe(sequenceNr);
    expect(await world.control.skip("lists", slice)).toMatchObject({ persistenceId: poisoned, sequenceNr });
  }
  await caughtUp(world);
  expect((await listsOf(world)).get(poisoned)).toEqual([3, 4, 5]);
  expect(await lengths(world)).toEqual(othersOf(world));
});

test("an event that cannot be read is parked, and the events of other ids are applied", async () => {
  const world = await newWorld();
  const restore = await damage(world, poisoned, 1);
  const lists = listProjection(world, { onPoison: "park" });
  await using run = await running(world, [lists]);
  await caughtUp(world);
  expect(await lengths(world)).toEqual(othersOf(world));
  const parked = await world.control.parked("lists");
  expect(parked.map(({ persistenceId, sequenceNr }) => [persistenceId, sequenceNr])).toEqual(
    [1, 2, 3, 4, 5].map((number) => [poisoned, number]),
  );
  expect(parked[0]?.error).toContain("JOURNAL_ITEM_CORRUPT");
  // It still cannot be read: it stays parked, and later events are applied.
  await world.control.retryParked("lists");
  await expect.poll(async () => (await world.control.parked("lists"))[0]?.retry).toBe(false);
  unwrap(await world.journal.append("other", { payload: 1 }));
  await (await feedOf(world)).catchUp();
  await run.reached(lists, { persistenceId: "other", sequenceNr: 1 });
  world.appended.set("other", 1);
  await restore();
  await world.control.retryParked("lists");
  await expect.poll(async () => (await world.control.status("lists")).parked).toBe(0);
  await expectAllApplied(world);
});

test("of a write, only what follows the event that no codec can decode is not applied", async () => {
  const world = await newProjectionWorld();
  let isBad = true;
  const decode = ([number]: Uint8Array) => {
    if (isBad && number === 2) throw new Error("not this one");
    return { number };
  };
  const codecs = createCodecs({ codecs: [{ id: 4711, decode }] });
  const events = [1, 2, 3].map((number) => ({
    payload: { serializerId: 4711, manifest: "", bytes: Uint8Array.of(number) },
  }));
  unwrap(await world.journal.append(poisoned, events));
  world.appended.set(poisoned, 3);
  await (await feedOf(world)).catchUp();
  const feed = { journal: { ...world.options, codecs } };
  await using _run = await running(world, [listProjection(world, { onPoison: "park" })], { feed });
  await caughtUp(world);
  expect((await listsOf(world)).get(poisoned)).toEqual([1]);
  const [head, ...others] = await world.control.parked("lists");
  expect(head).toMatchObject({ sequenceNr: 2, retry: false });
  expect(head?.error).toContain("JOURNAL_PAYLOAD_CORRUPT");
  expect(others).toMatchObject([{ sequenceNr: 3, retry: true }]);
  isBad = false;
  await world.control.retryParked("lists");
  await expect.poll(async () => (await world.control.status("lists")).parked).toBe(0);
  await expectAllApplied(world);
});

test("a page that is corrupt when it appears is reported while others wait, and is read once it is not", async () => {
  const world = await newWorld();
  await using _run = await running(world, [listProjection(world)]);
  await caughtUp(world);
  const before = (await (await feedOf(world)).status()).slices[slice]?.pages ?? 0;
  const page = { par: { S: `journal-F-all-1-${slice}-0` }, num: { N: String(before) } };
  await world.port.putItem({ TableName: "events", Item: { ...page, refs: { S: "no list" } } });
  const stored = async () => {
    const { Items = [] } = await world.port.scan({ TableName: world.projectionTable, ConsistentRead: true });
    return Items.filter((item) => JSON.stringify(item).includes("FEED_PAGE_CORRUPT")).length;
  };
  await expect.poll(stored).toBe(1);
  const { slices } = await world.control.status("lists");
  expect(slices[slice]?.error).toContain("FEED_PAGE_CORRUPT");
  expect(slices[1 - slice]).not.toHaveProperty("error");
  await world.port.deleteItem({ TableName: "events", Key: page });
  await feedSome(world, 6, 2);
  await caughtUp(world);
  await expectAllApplied(world);
});

test("a reader of the feed passes events that cannot be read, and each is reported in its place", async () => {
  const world = await newWorld();
  await damage(world, poisoned, 1);
  const feed = await feedOf(world);
  const read = async (options: ReadFeedOptions) => {
    const found: (readonly [string, number, number, number, string?])[] = [];
    const positions: string[] = [];
    const onUnreadable = (each: UnreadableEvent) => {
      const { persistenceId, sequenceNr, slice, offset, position, error } = each;
      found.push([persistenceId, sequenceNr, slice, offset, (error as { code: string }).code]);
      positions.push(position);
    };
    for await (const { persistenceId, sequenceNr, slice, offset, position } of feed.read({
      onUnreadable,
      ...options,
    })) {
      found.push([persistenceId, sequenceNr, slice, offset]);
      positions.push(position);
    }
    return { found, positions };
  };
  await expect(read({ onUnreadable: undefined })).rejects.toMatchObject({ code: "JOURNAL_ITEM_CORRUPT" });
  const { found, positions } = await read({});
  const bad = found.filter(([, , , , code]) => code !== undefined);
  expect(bad.map(([id, number, , , code]) => [id, number, code])).toEqual([
    [poisoned, 1, "JOURNAL_ITEM_CORRUPT"],
    [poisoned, 2, "JOURNAL_ITEM_CORRUPT"],
  ]);
  for (const at of [0, 1]) {
    const offsets = found.filter(([, , own]) => own === at).map(([, , , offset]) => offset);
    expect(offsets).toEqual(offsets.map((_unused, index) => index));
  }
  expect(found.length).toBe([...world.appended.values()].reduce((sum, count) => sum + count, 0));
  // A position may be in the middle of what cannot be read.
  for (const [at, position] of positions.entries())
    expect((await read({ from: position })).found).toEqual(found.slice(at + 1));
  expect((await read({ type: "other" })).found).toEqual([]);
  const failing = read({
    onUnreadable: () => {
      throw new Error("stop here");
    },
  });
  await expect(failing).rejects.toThrow("stop here");
});

test("an event whose key is missing is parked, and one whose key is forgotten is handled without its payload", async () => {
  const world = await newProjectionWorld();
  await ensureTable(world.port, keyTableSpec("keys"));
  const encrypted = () => {
    const keys = openKeyStore(world.port, { table: "keys" });
    const codecs = encryptedCodecs({ keys, subjectOf: ({ persistenceId }) => persistenceId });
    return { keys, journal: { ...world.options, codecs } };
  };
  const journal = await openJournal(world.port, encrypted().journal);
  for (const id of ["missing", "forgotten", "kept"]) {
    unwrap(await journal.append(id, [{ payload: id }, { payload: id }]));
    world.appended.set(id, 2);
  }
  await (await feedOf(world)).catchUp();
  // Another process, which has no keys in memory.
  const { keys, journal: options } = encrypted();
  await keys.forget("forgotten");
  const { Items = [] } = await world.port.scan({ TableName: "keys", ConsistentRead: true });
  const item = Items.find(({ subject }) => subject?.S === "missing") ?? {};
  await world.port.deleteItem({ TableName: "keys", Key: { subject: { S: "missing" } } });
  const lists = listProjection(world, { onPoison: "park" });
  await using _run = await running(world, [lists], { feed: { journal: options } });
  await caughtUp(world);
  const parked = await world.control.parked("lists");
  expect(parked.map(({ persistenceId, sequenceNr }) => [persistenceId, sequenceNr])).toEqual([
    ["missing", 1],
    ["missing", 2],
  ]);
  expect(parked[0]?.error).toContain("JOURNAL_KEY_MISSING");
  expect((await listsOf(world)).get("forgotten")).toEqual([1, 2]);
  await world.port.putItem({ TableName: "keys", Item: item });
  await world.control.retryParked("lists");
  await expect.poll(async () => (await world.control.status("lists")).parked).toBe(0);
  await expectAllApplied(world);
});
