import { metered } from "@tablekeep/client";
import { unwrap } from "@tablekeep/core";
import { afterEach, describe, expect, test } from "vitest";
import { type Fencing, loadTail, openJournal, openSnapshots } from "../src/index.ts";
import { append, collect, engineWith, itemsOf, numbersOf, range, singles } from "./journal-world.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const port of open.splice(0)) await port.close();
});

async function world(fencing: Fencing = "optimistic") {
  const options = { table: "events", layout: "packed", fencing } as const;
  const engine = await engineWith(options);
  open.push(engine);
  const { port, meter } = metered(engine, { capacity: true });
  const journal = await openJournal(port, options);
  const snapshots = await openSnapshots(port, { journal: options });
  const load = async (id: string, limit = 15) => {
    const loaded = await loadTail(journal, snapshots, id, { limit });
    if (loaded === undefined) throw new Error("nothing was loaded");
    const { snapshot, events, writer } = loaded;
    return { snapshot, numbers: numbersOf(await collect(events)), writer };
  };
  return { port, meter, journal, snapshots, load };
}

describe("the newest snapshot and the events after it", () => {
  test("are one request, of a snapshot of 1 KB and 10 events of 1 KB at most 5 read units", async () => {
    const { journal, snapshots, load, meter } = await world();
    const event = { payload: "x".repeat(1000) };
    await append(
      journal,
      "a",
      Array.from({ length: 40 }, () => event),
    );
    await snapshots.save("a", 40, "s".repeat(1000));
    await append(
      journal,
      "a",
      Array.from({ length: 10 }, () => event),
    );
    meter.reset();
    const { snapshot, numbers, writer } = await load("a", 12);
    const { requests, readUnits, writeUnits } = meter.reset().total;
    expect([requests, writeUnits]).toEqual([1, 0]);
    expect(readUnits).toBeLessThanOrEqual(5);
    expect(snapshot).toMatchObject({ sequenceNr: 40, state: "s".repeat(1000) });
    expect(numbers).toEqual(range(41, 50));
    expect(unwrap(await writer.append({ payload: "next" }))).toEqual({ first: 51, last: 51 });
  });

  test.each(["optimistic", "strict"] as const)(
    "are the same whatever lies between them, and however few items a request reads (%s)",
    async (fencing) => {
      const { journal, snapshots, load } = await world(fencing);
      expect(await load("a")).toMatchObject({ snapshot: undefined, numbers: [] });
      await append(journal, "a", [...singles(1, 3), singles(4, 9)]);
      for (const limit of [1, 2, 15]) {
        expect(await load("a", limit)).toMatchObject({ snapshot: undefined, numbers: range(1, 9) });
      }
      // Inside an atomic write.
      await snapshots.save("a", 6, { sum: 6 });
      for (const limit of [1, 2, 15]) {
        const found = await load("a", limit);
        expect(found.snapshot).toMatchObject({ sequenceNr: 6, state: { sum: 6 } });
        expect(found.numbers).toEqual([7, 8, 9]);
      }
      await snapshots.save("a", 9, { sum: 9 });
      await snapshots.save("a", 3, { sum: 3 });
      for (const limit of [1, 2, 15]) {
        const found = await load("a", limit);
        expect([found.snapshot?.sequenceNr, found.numbers, found.writer.highestSequenceNr]).toEqual([
          9,
          [],
          9,
        ]);
      }
      await journal.deleteTo("a", 9);
      const found = await load("a", 1);
      expect([found.snapshot?.sequenceNr, found.numbers, found.writer.highestSequenceNr]).toEqual([9, [], 9]);
    },
  );

  test("are not found together where snapshots have their own table", async () => {
    const { port, journal } = await world();
    const apart = await openSnapshots(port, { table: "snapshots" });
    expect(await loadTail(journal, apart, "a")).toBeUndefined();
  });

  test("are gone after a purge", async () => {
    const { port, journal, snapshots, load } = await world();
    await append(journal, "a", singles(1, 5));
    await snapshots.save("a", 5, "state");
    await journal.purge("a");
    expect(await itemsOf(port, "events")).toHaveLength(1);
    expect(await load("a")).toMatchObject({ snapshot: undefined, numbers: [] });
  });
});
