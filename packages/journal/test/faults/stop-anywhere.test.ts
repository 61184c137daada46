import { type StopScenario, stopAfterNth } from "@tablekeep/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  alikeWorlds,
  named as all,
  checkCalm,
  deletedIn,
  engineFor,
  type FaultWorld,
  faultWorld,
  itemsOf,
  staging,
} from "./fault-world.ts";
import { mortalAt } from "./mortal-port.ts";
import { scale } from "./scale.ts";

describe.each(all)("%s: stopped at any request,", (named, options) => {
  let engine: Awaited<ReturnType<typeof engineFor>>;
  let port: typeof engine.port;
  beforeAll(async () => {
    engine = await engineFor(options);
    port = engine.port;
  });
  afterAll(() => port.close());

  const write = async (world: FaultWorld, count: number) => {
    const writer = await (await world.actor("before", port)).recover(world.id);
    expect(await writer.append(world.texts(count))).toMatchObject({ kind: "ok" });
  };
  /** `before` events exist, in one write; then `run` crashes. */
  const scenario = (
    before: number,
    run: (world: FaultWorld, port: FaultWorld["port"]) => Promise<unknown>,
    check: (world: FaultWorld) => Promise<void> = (world) => checkCalm(world),
  ): StopScenario<FaultWorld> => ({
    setup: alikeWorlds(engine, options, before === 0 ? undefined : (world) => write(world, before)),
    run: (mortal, world) => run(world, mortal),
    check,
  });
  const append =
    (...sizes: readonly number[]) =>
    async (world: FaultWorld, mortal: FaultWorld["port"]) => {
      const writer = await (await world.actor("mortal", mortal)).recover(world.id);
      return writer.appendEach(sizes.map((size) => world.texts(size)));
    };

  test("an append of one event leaves all in order", async () => {
    const { stops } = await stopAfterNth(scenario(0, append(1)));
    expect(stops.length).toBeGreaterThanOrEqual(6);
    await stopAfterNth(scenario(3, append(1, 1)));
  });

  test("an append of a multiple of 100 leaves all in order", async () => {
    await stopAfterNth(scenario(99, append(1)));
  });

  test("an atomic append leaves all in order", async () => {
    await stopAfterNth(scenario(98, append(5)));
  });

  test("a staged append leaves all in order", async () => {
    const { requests } = await stopAfterNth(scenario(2, append(103)));
    if (staging.some(([name]) => name === named)) expect(requests).toBeGreaterThanOrEqual(7);
  });

  test("a delete leaves all in order, and the next ends it", async () => {
    const check = async (world: FaultWorld) => {
      await checkCalm(world);
      await (await world.actor("next", port)).deleteTo(world.id, 1);
      world.checkHistory();
      const items = await itemsOf(port, world.id);
      const lowest = await (await world.open(port)).lowestSequenceNr(world.id);
      // Everything below the low mark is a tombstone now, or cut off its item, whatever became of the delete.
      expect(items.reduce((total, item) => total + deletedIn(item), 0)).toBe(lowest - 1);
    };
    const deleteTo = (to: number) => async (world: FaultWorld, mortal: FaultWorld["port"]) =>
      (await world.actor("mortal", mortal)).deleteTo(world.id, to);
    await stopAfterNth(scenario(20, deleteTo(17), check));
    // All of a staged batch, so that its commit record goes too.
    await stopAfterNth(scenario(103, deleteTo(103), check), scale > 1 ? {} : { maxStops: 24 });
  });

  test("a purge leaves all in order, and can be done again", async () => {
    await stopAfterNth(
      scenario(
        103,
        async (world, mortal) => (await world.open(mortal)).purge(world.id),
        async (world) => {
          const journal = await world.open(port);
          const highest = await journal.highestSequenceNr(world.id);
          const { sequenceNrs } = await journal.listAll(world.id);
          expect([`${highest}: ${sequenceNrs.length}`]).toEqual([
            expect.stringMatching(/^(103: 103|103: 0|0: 0)$/),
          ]);
          // An id that is used again is in the list of ids, however the purge ended.
          const writer = await journal.recover(world.id);
          expect(await writer.append({ payload: "goes on" })).toMatchObject({ kind: "ok" });
          const ids = [];
          for await (const { persistenceId } of journal.currentPersistenceIds()) ids.push(persistenceId);
          expect(ids).toEqual([world.id]);
          await journal.purge(world.id);
          expect(await itemsOf(port, world.id)).toEqual([]);
        },
      ),
    );
  });
});

describe.each(staging)("%s: of a batch that was never committed,", (_name, options) => {
  let port: Awaited<ReturnType<typeof engineFor>>["port"];
  let reset: () => Promise<void>;
  beforeAll(async () => {
    ({ port, reset } = await engineFor(options));
  });
  afterAll(() => port.close());

  test.each([
    [3, 0],
    [120, 0],
    [250, 30],
  ])(
    "a purge finds what a writer that died after %d rows and a recovery that removed %d of them left",
    async (staged, removed) => {
      await reset();
      const world = faultWorld(port, options);
      const dying = mortalAt(port, after(staged, "PutItem"));
      const writer = await (await world.open(dying, { deadlineMs: 10_000 })).recover(world.id);
      const batch = world.texts(600).map((payload) => ({ payload }));
      expect(await writer.append(batch)).toMatchObject({ kind: "rejected" });
      const recovering = mortalAt(port, after(removed, "DeleteItem"));
      await expect((await world.open(recovering)).recover(world.id)).rejects.toThrow();
      expect((await itemsOf(port, world.id)).filter((item) => "staged" in item)).not.toEqual([]);
      await (await world.open(port)).purge(world.id);
      expect(await itemsOf(port, world.id)).toEqual([]);
    },
  );

  test("a purge finds the rows of a long batch that two processes left behind", async () => {
    await reset();
    const world = faultWorld(port, options);
    // The one that writes it ends before the commit; the one that recovers, when it has cleared the stage.
    const dying = mortalAt(port, (operation, { TransactItems }) => {
      return operation === "TransactWriteItems" && (TransactItems ?? []).length > 90;
    });
    const writer = await (await world.open(dying, { deadlineMs: 10_000 })).recover(world.id);
    expect(await writer.append({ payload: "first" })).toMatchObject({ kind: "ok" });
    const batch = world.texts(600).map((payload) => ({ payload }));
    expect(await writer.append(batch)).toMatchObject({ kind: "rejected" });
    const recovering = mortalAt(port, (operation) => operation === "DeleteItem");
    await expect((await world.open(recovering)).recover(world.id)).rejects.toThrow();
    expect((await itemsOf(port, world.id)).length).toBeGreaterThan(500);
    await (await world.open(port)).purge(world.id);
    expect((await itemsOf(port, world.id)).length).toBe(0);
  });
});

/** Of the requests of one kind, all but the first so many. */
function after(count: number, kind: string): (operation: string) => boolean {
  let seen = 0;
  return (operation) => operation === kind && ++seen > count;
}
