import { type DynamoPort, type OperationName, TablekeepError, wrapPort } from "@tablekeep/core";
import { unwrap } from "@tablekeep/journal";
import { expect, test } from "vitest";
import { sliceOf } from "../../src/index.ts";
import { openProjections, type Projections } from "../../src/projections/index.ts";
import { projectionKey } from "../../src/projections/store/projection-items.ts";
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

const lost = () =>
  new TablekeepError({
    code: "TEST_LOST",
    kind: "unavailable",
    message: "the response is lost",
    details: {},
    ambiguous: true,
  });

const isWrite = (operation: OperationName) => !/^(get|query|scan|batchGet|describe|list)/i.test(operation);

function controlOver(world: ProjectionWorld, port: DynamoPort): Promise<Projections> {
  return openProjections(port, { table: world.projectionTable, feed: { journal: world.options } });
}

/** Opens the control whose nth write calls `act` first, or has its response lost after `act`. */
function controlWith(
  world: ProjectionWorld,
  nth: number,
  when: "before" | "lost",
  act: () => Promise<unknown>,
): Promise<Projections> {
  let writes = 0;
  const port = wrapPort(world.port, async (operation, input, options, next) => {
    if (!isWrite(operation) || ++writes !== nth) return next(operation, input, options);
    if (when === "before") {
      await act();
      return next(operation, input, options);
    }
    await next(operation, input, options);
    await act();
    throw lost();
  });
  return controlOver(world, port);
}

/** Opens the control of a process that ends at its nth request: before it is sent, or after it was applied. */
function mortalControl(world: ProjectionWorld, nth: number, isApplied: boolean): Promise<Projections> {
  let requests = 0;
  const port = wrapPort(world.port, async (operation, input, options, next) => {
    if (++requests < nth) return next(operation, input, options);
    if (requests === nth && isApplied) await next(operation, input, options);
    throw lost();
  });
  return controlOver(world, port);
}

/** Calls something in processes that end at their first request, at their second and so on, up to one that returns. `check` gets what each has left. */
async function interruptEverywhere(
  world: ProjectionWorld,
  call: (control: Projections) => Promise<unknown>,
  check: () => Promise<void>,
): Promise<void> {
  for (let nth = 1; nth < 60; nth++)
    for (const isApplied of [false, true]) {
      const hasEnded = await mortalControl(world, nth, isApplied)
        .then(call)
        .then(
          () => true,
          () => false,
        );
      await check();
      if (hasEnded) return;
    }
  throw new Error("the call never returns");
}

const poisoned = "thing|1";
const slice = sliceOf(poisoned, 2);
const failing = (...numbers: number[]) => ({
  fails: (id: string, nr: number) => id === poisoned && numbers.includes(nr),
});

async function isStoppedAt(world: ProjectionWorld, sequenceNr: number): Promise<void> {
  const failed = async () => (await world.control.status("lists")).slices[slice]?.failed?.sequenceNr;
  await expect.poll(failed).toBe(sequenceNr);
}

test("a skip whose response is lost skips no second event that stops the slice meanwhile", async () => {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  await feedSome(world, 6, 1);
  await using _run = await running(world, [listProjection(world, failing(2, 4))]);
  await isStoppedAt(world, 2);
  const control = await controlWith(world, 1, "lost", () => isStoppedAt(world, 4));
  expect(await control.skip("lists", slice)).toMatchObject({ persistenceId: poisoned, sequenceNr: 2 });
  await isStoppedAt(world, 4);
  // Another operator has changed the slice, too: it cannot be found out.
  const other = await controlWith(world, 1, "lost", async () => {
    await caughtUp(world);
    await world.control.pause("lists");
  });
  await expect(other.skip("lists", slice)).rejects.toMatchObject({ code: "TEST_LOST" });
  await world.control.resume("lists");
  expect((await listsOf(world)).get(poisoned)).toEqual([1, 3, 5]);
});

/** Has events in both slices. */
async function feedBoth(world: ProjectionWorld): Promise<void> {
  const ids = Array.from({ length: 20 }, (_unused, at) => `id-${at}`);
  expect(new Set(ids.map((id) => sliceOf(id, 2))).size).toBe(2);
  for (const id of ids) unwrap(await world.journal.append(id, { payload: 1 }));
  await feedSome(world, 0);
}

test("a rewind moves all slices or none, wherever it ends", async () => {
  const world = await newProjectionWorld();
  await feedBoth(world);
  await using run = await running(world, [listProjection(world)]);
  await caughtUp(world);
  await run.stop();
  const offsets = async () => (await world.control.status("lists")).slices.map(({ offset }) => offset);
  const before = await offsets();
  expect(before.every((offset) => offset > 0)).toBe(true);
  const seen = new Set<string>();
  await interruptEverywhere(
    world,
    (control) => control.rewind("lists", "start"),
    async () => {
      seen.add(JSON.stringify(await offsets()));
      await world.control.rewind("lists", "end");
    },
  );
  expect([...seen].toSorted()).toEqual([JSON.stringify([0, 0]), JSON.stringify(before)].toSorted());
});

test.each([1, 2, 3])(
  "of two opposite rewinds one is last in all slices, however write %i falls",
  async (nth) => {
    const world = await newProjectionWorld();
    await feedBoth(world);
    const first = await running(world, [listProjection(world)]);
    await caughtUp(world);
    await first.stop();
    const end = (await world.control.status("lists")).slices.map(({ offset }) => offset);
    const control = await controlWith(world, nth, "before", () => world.control.rewind("lists", "start"));
    await control.rewind("lists", "end");
    const offsets = (await world.control.status("lists")).slices.map(({ offset }) => offset);
    expect([JSON.stringify(end), JSON.stringify([0, 0])]).toContain(JSON.stringify(offsets));
  },
);

/** Has a parked event with others behind it, and stops the runner. */
async function parkedWorld(): Promise<ProjectionWorld> {
  const world = await newProjectionWorld();
  await feedSome(world, 6);
  await feedSome(world, 6, 1);
  await using _run = await running(world, [listProjection(world, { onPoison: "park", ...failing(2) })]);
  await caughtUp(world);
  return world;
}

const epochOf = async (world: ProjectionWorld) =>
  Number(
    (
      await world.port.getItem({
        TableName: world.projectionTable,
        Key: projectionKey.slice({ name: "lists", version: 1 }, slice),
      })
    ).Item?.["epoch"]?.N,
  );

test("a retry of parked events is seen by the runner that has the slice, wherever the call ends", async () => {
  const world = await parkedWorld();
  const before = await epochOf(world);
  await interruptEverywhere(
    world,
    (control) => control.retryParked("lists"),
    async () => {
      const [head] = await world.control.parked("lists");
      expect(head?.retry && (await epochOf(world)) === before).toBe(false);
    },
  );
  await using _run = await running(world, [listProjection(world, { onPoison: "park" })]);
  await expect.poll(async () => (await world.control.status("lists")).parked).toBe(0);
  await expectAllApplied(world);
});

test("a drop of all parked events of an id drops all or none, wherever the call ends", async () => {
  const world = await parkedWorld();
  const counts = new Set<number>();
  const all = (await world.control.parked("lists")).length;
  expect(all).toBeGreaterThan(2);
  await interruptEverywhere(
    world,
    (control) => control.dropParked("lists", { persistenceId: poisoned }),
    async () => void counts.add((await world.control.parked("lists")).length),
  );
  expect(counts).toEqual(new Set([all, 0]));
});

test("only parked events that no runner applies meanwhile are dropped and counted", async () => {
  const world = await parkedWorld();
  const all = (await world.control.parked("lists")).length;
  // The first is applied before the drop is written, with those behind it.
  const control = await controlWith(world, 1, "before", async () => {
    await world.control.retryParked("lists");
    await using _run = await running(world, [listProjection(world, { onPoison: "park" })]);
    await expect.poll(async () => (await world.control.status("lists")).parked).toBe(0);
  });
  expect(all).toBeGreaterThan(0);
  expect(await control.dropParked("lists", { all: true })).toBe(0);
  await expectAllApplied(world);
});

async function twoVersions(): Promise<ProjectionWorld> {
  const world = await newProjectionWorld();
  await feedSome(world, 4);
  await using _run = await running(world, [listProjection(world), listProjection(world, { version: 2 })]);
  await caughtUp(world, "lists", 1);
  await caughtUp(world, "lists", 2);
  return world;
}

test("a version to which readers are switched meanwhile is not removed", async () => {
  const world = await twoVersions();
  const control = await controlWith(world, 1, "before", () => world.control.switchTo("lists", 2));
  await expect(control.remove("lists", { version: 2 })).rejects.toMatchObject({ code: "PROJECTION_IN_USE" });
  expect(await world.control.status("lists")).toMatchObject({ version: 2, lagEvents: 0 });
});

test("readers are not switched to a version that is removed meanwhile", async () => {
  const world = await twoVersions();
  const control = await controlWith(world, 1, "before", () => world.control.remove("lists", { version: 2 }));
  await expect(control.switchTo("lists", 2)).rejects.toMatchObject({
    code: "PROJECTION_UNKNOWN",
    details: { version: 2 },
  });
  expect(await world.control.currentVersion("lists")).toBe(1);
});

test("a switch whose response is lost has happened", async () => {
  const world = await twoVersions();
  const control = await controlWith(world, 1, "lost", async () => {});
  await control.switchTo("lists", 2);
  expect(await world.control.currentVersion("lists")).toBe(2);
});

test("a version whose removal was interrupted is not run on, and begins at the start once it is removed", async () => {
  const world = await twoVersions();
  const second = listProjection(world, { version: 2 });
  let refused = 0;
  await interruptEverywhere(
    world,
    (control) => control.remove("lists", { version: 2 }),
    async () => {
      try {
        await using _run = await running(world, [second]);
        // It continues if nothing of it was removed, and begins at the start if everything was.
        await caughtUp(world, "lists", 2);
      } catch (error) {
        expect(error).toMatchObject({ code: "PROJECTION_CHANGE_CONTENDED", details: { version: 2 } });
        refused++;
        return;
      }
      expect((await world.control.status("lists", { version: 2 })).slices).toHaveLength(2);
    },
  );
  expect(refused).toBeGreaterThan(3);
});

test("an unknown slice cannot be skipped", async () => {
  const world = await twoVersions();
  await expect(world.control.skip("lists", 2)).rejects.toMatchObject({
    code: "PROJECTION_OPTION_INVALID",
    details: { option: "slice" },
  });
});
