import assert from "node:assert/strict";
import { finds, findsNone, type SnapshotCase, type SnapshotWorld, saveFive } from "./snapshot-case.ts";

/** Ids that a store may parse wrongly, each with its own part so that cases do not collide. */
const oddIds = (unique: string): readonly string[] => [
  `${unique}-1-2-3`,
  `${unique}|a|b`,
  `a-P-${unique}`,
  `-P-${unique}-P-`,
  `${unique} ü€😀\u0000/..%2F`,
  `${unique}${"0123456789abcde".repeat(100)}`,
];

/** Which numbers there are. */
async function numbersOf({ store }: SnapshotWorld, persistenceId: string): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { sequenceNr } of store.list?.(persistenceId) ?? []) numbers.push(sequenceNr);
  return numbers;
}

/** Cases that Akka's suite lacks and real stores get wrong. */
export const snapshotMoreCases: readonly SnapshotCase[] = [
  {
    name: "criteria of Akka's None find nothing, also a snapshot of number 0",
    source: "Akka: SnapshotSelectionCriteria.None",
    run: async (world) => {
      const persistenceId = world.unique();
      const saved = await world.store.save(persistenceId, 0, "at the beginning");
      await findsNone(world, persistenceId, { maxSequenceNr: 0, maxTimestamp: 0 });
      await finds(world, { maxSequenceNr: 0 }, saved, "at the beginning");
    },
  },
  {
    name: "lower bounds hold too, and bounds that exclude each other find nothing",
    source: "stores that ignore minSequenceNr and minTimestamp",
    run: async (world) => {
      const { persistenceId, saved } = await saveFive(world);
      await finds(world, { minSequenceNr: 15 }, saved[4], "s-5");
      await findsNone(world, persistenceId, { minSequenceNr: 16 });
      await findsNone(world, persistenceId, { minSequenceNr: 13, maxSequenceNr: 12 });
      await finds(world, { minSequenceNr: 12, maxSequenceNr: 12 }, saved[1], "s-2");
      await findsNone(world, persistenceId, { minTimestamp: saved[4].timestamp + 1 });
      await finds(world, { minTimestamp: saved[0].timestamp, maxSequenceNr: 11 }, saved[0], "s-1");
    },
  },
  {
    name: "the latest is that of the highest number, whenever it was saved",
    source: "stores that take the newest timestamp for the latest",
    run: async (world) => {
      const persistenceId = world.unique();
      const high = await world.store.save(persistenceId, 15, "fifteen");
      await world.store.save(persistenceId, 11, "eleven, saved later");
      await finds(world, {}, high, "fifteen");
    },
  },
  {
    name: "an older snapshot is found behind newer ones that the timestamp excludes",
    source: "stores that let a limit count before the filter on the timestamp",
    run: async (world) => {
      const persistenceId = world.unique();
      const old = await world.store.save(persistenceId, 1, "old");
      await laterThan(old.timestamp, async () => {
        const { timestamp } = await world.store.save(persistenceId, 2, "new");
        return timestamp;
      });
      for (let number = 3; number <= 20; number++) await world.store.save(persistenceId, number, "new");
      const criteria = { maxSequenceNr: 20, maxTimestamp: old.timestamp };
      const found = await world.store.load(persistenceId, criteria);
      assert.ok(found !== undefined && found.timestamp <= old.timestamp);
    },
  },
  {
    name: "only the snapshot of the given timestamp is deleted, if one is given",
    source: "Akka: SnapshotMetadata with a timestamp",
    run: async (world) => {
      const { persistenceId, saved } = await saveFive(world);
      await world.store.delete(persistenceId, 15, { timestamp: saved[4].timestamp + 1 });
      await finds(world, {}, saved[4], "s-5");
      await world.store.delete(persistenceId, 15, { timestamp: saved[4].timestamp });
      await finds(world, {}, saved[3], "s-4");
    },
  },
  {
    name: "deleting what is not there does nothing",
    source: "Akka: deletion is idempotent",
    run: async (world) => {
      const { persistenceId, saved } = await saveFive(world);
      await world.store.delete(persistenceId, 99);
      await world.store.deleteMany(persistenceId, { minSequenceNr: 50 });
      await world.store.deleteMany(world.unique());
      await finds(world, {}, saved[4], "s-5");
      await world.store.deleteMany(persistenceId);
      await world.store.deleteMany(persistenceId);
      await findsNone(world, persistenceId);
    },
  },
  {
    name: "snapshots of more than a page are deleted to the last",
    source: "stores that delete the first page of 1 MB only",
    needs: "list",
    run: async (world) => {
      const persistenceId = world.unique();
      const state = randomText(150_000);
      for (let number = 1; number <= 12; number++) await world.store.save(persistenceId, number, state);
      await world.store.deleteMany(persistenceId, { maxSequenceNr: 11 });
      assert.deepEqual(await numbersOf(world, persistenceId), [12]);
    },
  },
  {
    name: "ids with dashes, pipes, non-ASCII, and of 1.5 KB are kept apart",
    source: "stores that build keys of ids",
    run: async (world) => {
      const ids = oddIds(world.unique());
      for (const id of ids) await world.store.save(id, 3, `of ${id}`);
      for (const id of ids) {
        const found = await world.store.load(id);
        assert.deepEqual([found?.persistenceId, found?.state], [id, `of ${id}`]);
      }
      const [gone = "", ...others] = ids;
      await world.store.deleteMany(gone);
      await findsNone(world, gone);
      for (const id of others) assert.notEqual(await world.store.load(id), undefined);
    },
  },
  {
    name: "snapshots are listed by rising number",
    source: "this suite",
    needs: "list",
    run: async (world) => {
      const persistenceId = world.unique();
      for (const number of [10, 2, 100, 1]) await world.store.save(persistenceId, number, "state");
      assert.deepEqual(await numbersOf(world, persistenceId), [1, 2, 10, 100]);
    },
  },
  {
    name: "the highest number that JavaScript holds exactly is kept exactly, one above is refused",
    source: "stores that round sequence numbers",
    run: async (world) => {
      const persistenceId = world.unique();
      const saved = await world.store.save(persistenceId, Number.MAX_SAFE_INTEGER, "last");
      await world.store.save(persistenceId, Number.MAX_SAFE_INTEGER - 1, "last but one");
      await finds(world, {}, saved, "last");
      await assert.rejects(world.store.save(persistenceId, 2 ** 53, "too far"));
      await assert.rejects(world.store.save(persistenceId, -1, "before the beginning"));
      await assert.rejects(world.store.save(persistenceId, 1.5, "between two"));
    },
  },
  {
    name: "a snapshot of 3 MB that compression does not bring into one item is saved, replaced, loaded and deleted",
    source: "stores that refuse a state above the item limit",
    run: async (world) => {
      const persistenceId = world.unique();
      const [first, second] = [randomText(3_000_000), randomText(2_500_000)];
      await finds(world, {}, await world.store.save(persistenceId, 7, first), first);
      await finds(world, {}, await world.store.save(persistenceId, 7, second), second);
      const small = await world.store.save(persistenceId, 7, "small again");
      await finds(world, {}, small, "small again");
      await world.store.save(persistenceId, 7, first);
      await world.store.delete(persistenceId, 7);
      await findsNone(world, persistenceId);
    },
  },
];

/** Saves again until the store's clock has moved on; a store whose clock stands still is not waited for. */
async function laterThan(timestamp: number, save: () => Promise<number>): Promise<void> {
  for (let round = 0; round < 200; round++) if ((await save()) > timestamp) return;
}

/** Text that does not get smaller by compression; the same with every call. */
function randomText(length: number): string {
  const units = new Uint16Array(length);
  let word = 0x9e3779b9;
  for (let at = 0; at < length; at++) {
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    units[at] = 0x20 + ((word >>> 8) % 95);
  }
  return Buffer.from(units).toString("latin1");
}
