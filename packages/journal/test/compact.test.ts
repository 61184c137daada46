import { type DynamoPort, type Item, wrapPort } from "@tablekeep/core";
import { exploreInterleavings, fakeClock, stopAfterNth } from "@tablekeep/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { isJournalError, loadTail, openJournal, openSnapshots } from "../src/index.ts";
import { compactJournal, verifyJournal } from "../src/tools/index.ts";
import { checkCalm, engineFor, type FaultWorld, faultWorld } from "./faults/fault-world.ts";
import { persist } from "./faults/persist.ts";
import { append, collect, engineWith, itemsOf, numbersOf, range, singles } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

const options = { table: "events", layout: "packed" } as const;

/** An id `a` of single events 1 to 30, an atomic write of 31 to 35, and single events up to 40; compacted. */
async function world(clock = fakeClock()) {
  const port = await engineWith(options);
  open.push(port);
  const journal = await openJournal(port, { ...options, clock });
  await append(journal, "a", singles(1, 20));
  await append(journal, "a", [...singles(21, 30), singles(31, 35), ...singles(36, 40)]);
  const before = await collect(journal.replay("a"));
  const compact = () => compactJournal(port, { ...options, clock });
  const rows = async () =>
    (await itemsOf(port, "events")).filter(
      ({ par, num }) => par?.S === "journal-P-a" && Number(num?.N) < 2 ** 53,
    );
  return { port, journal, before, compact, rows, clock };
}

const isTombstone = (item: Item) => "tomb" in item;

describe("a compaction", () => {
  test("merges what was written one by one, and changes no event", async () => {
    const { port, journal, before, compact, rows } = await world();
    expect(await compact()).toEqual({ ids: 1, merged: 35, into: 1 });
    expect((await rows()).filter((item) => !isTombstone(item))).toHaveLength(1);
    expect(await collect(journal.replay("a"))).toEqual(before);
    for (const from of [1, 2, 20, 31, 33, 36, 40, 41])
      expect(numbersOf(await collect(journal.replay("a", { from })))).toEqual(range(from, 40));
    // Atomic writes stay whole.
    expect(numbersOf(await collect(journal.replay("a", { to: 33 })))).toEqual(range(1, 30));
    expect(await collect(verifyJournal(port, options))).toEqual([]);
    expect(await compact()).toEqual({ ids: 1, merged: 0, into: 0 });
    await append(journal, "a", singles(41, 43));
    expect(await journal.highestSequenceNr("a")).toBe(43);
    expect(await compact()).toEqual({ ids: 1, merged: 3, into: 1 });
    expect(numbersOf(await collect(journal.replay("a")))).toEqual(range(1, 43));
  });

  test("leaves tombstones that may go in any order", async () => {
    const { port, journal, compact, rows, clock } = await world();
    await compact();
    for (const gone of [40, 2, 17, 36]) {
      const Key = { par: { S: "journal-P-a" }, num: { N: String(gone) } };
      await port.deleteItem({ TableName: "events", Key });
      expect(await journal.highestSequenceNr("a")).toBe(40);
      expect(numbersOf(await collect(journal.replay("a", { from: gone })))).toEqual(range(gone, 40));
    }
    await clock.advance(25 * 3600_000);
    await compact();
    expect((await rows()).filter(isTombstone)).toEqual([]);
    await append(journal, "a", singles(41, 41));
    expect(numbersOf(await collect(journal.replay("a")))).toEqual(range(1, 41));
  });

  test("leaves snapshots where they are, and loads find the events that they do not cover", async () => {
    const { port, journal, compact, clock } = await world();
    const snapshots = await openSnapshots(port, { journal: options });
    await snapshots.save("a", 37, "state");
    const load = async (limit: number) => {
      const { snapshot, events } = (await loadTail(journal, snapshots, "a", { limit })) ?? {};
      return [snapshot?.sequenceNr, numbersOf(await collect(events ?? journal.replay("none")))];
    };
    for (let round = 0; round < 3; round++) {
      for (const limit of [1, 3, 50]) expect(await load(limit)).toEqual([37, [38, 39, 40]]);
      await compact();
      // The last round is without tombstones.
      if (round === 1) await clock.advance(25 * 3600_000);
      if (round === 1) await compact();
    }
  });

  test("and a deletion drop every event that is deleted, in either order", async () => {
    const { journal, compact, rows, before } = await world();
    await journal.deleteTo("a", 10);
    await compact();
    await journal.deleteTo("a", 33);
    expect(await collect(journal.replay("a"))).toEqual(before.slice(33));
    const live = (await rows()).filter((item) => !isTombstone(item));
    expect(live).toMatchObject([{ num: { N: "11" }, from: { N: "34" }, events: { N: "30" } }]);
    await journal.deleteTo("a", 40);
    expect((await rows()).filter((item) => !isTombstone(item))).toEqual([]);
    expect(await journal.highestSequenceNr("a")).toBe(40);
    await append(journal, "a", singles(41, 42));
    await compact();
    expect(numbersOf(await collect(journal.replay("a")))).toEqual([41, 42]);
  });

  test("leaves an item whose last write continues in the next one", async () => {
    const { port, clock, compact, rows } = await world();
    const journal = await openJournal(port, { ...options, clock, maxItemSize: 1_000 });
    await append(journal, "a", [Array.from({ length: 3 }, () => ({ payload: "x".repeat(700) }))]);
    await append(journal, "a", singles(44, 45));
    const before = await collect(journal.replay("a"));
    // 1 to 40 become one item. Of the write of 41 to 43, in three items, only the last one is merged with others.
    expect(await compact()).toEqual({ ids: 1, merged: 37, into: 2 });
    const live = (await rows()).filter((item) => !isTombstone(item));
    expect(live.map(({ num }) => num?.N)).toEqual(["1", "41", "42", "43"]);
    expect(await collect(journal.replay("a"))).toEqual(before);
    expect(await collect(verifyJournal(port, options))).toEqual([]);
  });

  test("leaves a corrupt item as it is", async () => {
    const { port, journal, compact } = await world();
    const Key = { par: { S: "journal-P-a" }, num: { N: "5" } };
    await port.updateItem({
      TableName: "events",
      Key,
      UpdateExpression: "SET crc = :crc",
      ExpressionAttributeValues: { ":crc": { B: Uint8Array.of(1, 2, 3, 4) } },
    });
    expect(await compact()).toMatchObject({ merged: 0 });
    await expect(collect(journal.replay("a"))).rejects.toMatchObject({ code: "JOURNAL_ITEM_CORRUPT" });
  });
});

describe("a compaction beside others", () => {
  const variant = { layout: "packed", fencing: "optimistic" } as const;
  let port: Awaited<ReturnType<typeof engineFor>>["port"];
  let reset: () => Promise<void>;
  beforeAll(async () => {
    ({ port, reset } = await engineFor(variant));
  });
  afterAll(() => port.close());

  const setup = async () => {
    await reset();
    const world = faultWorld(port, variant);
    await persist(await world.actor("before", port), world, [1, 1, 2, 1, 3]);
    return world;
  };
  const compacting = (own: DynamoPort, { id }: FaultWorld) =>
    compactJournal(own, { ...variant, table: "events" }, { persistenceId: id });

  test("may stop at any request", async () => {
    await stopAfterNth<FaultWorld>({ setup, run: compacting, check: (world) => checkCalm(world, [1, 3]) });
  });

  const reading = async (own: DynamoPort, world: FaultWorld) => {
    const journal = await world.actor("r", own);
    for (let attempt = 0; attempt < 4; attempt++) {
      try {
        await journal.replay(world.id);
        await journal.highest(world.id);
        return;
      } catch (error) {
        if (!isJournalError(error, "JOURNAL_REPLAY_TRIMMED")) throw error;
      }
    }
  };
  const writing = async (own: DynamoPort, world: FaultWorld) =>
    persist(await world.actor("w", own), world, [1, 2]);
  const deleting = async (own: DynamoPort, world: FaultWorld) =>
    (await world.actor("d", own)).deleteTo(world.id, 4);
  const check = async (
    world: FaultWorld,
    results: Readonly<Record<string, PromiseSettledResult<unknown>>>,
  ) => {
    for (const [actor, result] of Object.entries(results))
      if (result.status === "rejected") throw new Error(`${actor} failed`, { cause: result.reason });
    await checkCalm(world, [1, 2]);
    expect(await collect(verifyJournal(port, { ...variant, table: "events" }))).toEqual([]);
  };

  test.each([
    ["a writer", { c: compacting, w: writing }],
    ["a reader", { c: compacting, r: reading }],
    ["a deletion", { c: compacting, d: deleting }],
    ["another compaction", { c: compacting, other: compacting }],
  ] as const)("leaves all in order beside %s, in every order of requests", async (_name, actors) => {
    const found = await exploreInterleavings<FaultWorld>(
      { setup, actors, check },
      { exhaustive: 20_000, maxPreemptions: 1 },
    );
    expect(found.complete).toBe(true);
  });

  /** Pages of at most two items, so that a compaction comes between any of them. */
  const smallPages = (own: DynamoPort) =>
    wrapPort(own, (operation, input, call, next) => {
      const { Limit = 1000 } = input as { Limit?: number };
      const small = operation === "Query" ? { ...input, Limit: Math.min(2, Limit) } : input;
      return next(operation, small as typeof input, call);
    });
  const verifying = async (own: DynamoPort, { id }: FaultWorld) => {
    const verification = verifyJournal(
      smallPages(own),
      { ...variant, table: "events" },
      { persistenceId: id },
    );
    expect(await collect(verification)).toEqual([]);
    expect(verification.summary).toMatchObject({ error: 0, warning: 0 });
  };

  test("is not a finding of a verification, in any order of requests", async () => {
    const found = await exploreInterleavings<FaultWorld>(
      { setup, actors: { c: compacting, v: verifying }, check },
      { exhaustive: 20_000, maxPreemptions: 2 },
    );
    expect(found.complete).toBe(true);
  });

  test("leaves all in order beside all of them, in some orders", async () => {
    const actors = { c: compacting, w: writing, r: reading, d: deleting };
    await exploreInterleavings<FaultWorld>({ setup, actors, check }, { walks: 30, seed: "compact" });
  });
});
