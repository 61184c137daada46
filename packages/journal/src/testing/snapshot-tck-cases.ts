import assert from "node:assert/strict";
import { finds, findsNone, type SnapshotCase, saveFive } from "./snapshot-case.ts";

/** Criteria that allow everything up to a number that the caller replays to, as Akka's LoadSnapshot narrows them. */
const upTo = (sequenceNr: number, maxSequenceNr = Number.MAX_SAFE_INTEGER) => ({
  maxSequenceNr: Math.min(maxSequenceNr, sequenceNr),
});

/** The cases of Akka's SnapshotStoreSpec. */
export const snapshotTckCases: readonly SnapshotCase[] = [
  {
    name: "nothing is loaded for an id without snapshots",
    source: "Akka SnapshotStoreSpec: invalid persistenceId",
    run: async (world) => findsNone(world, world.unique()),
  },
  {
    name: "nothing is loaded if all snapshots are newer than the timestamp",
    source: "Akka SnapshotStoreSpec: non-matching timestamp",
    run: async (world) => {
      const { persistenceId } = await saveFive(world);
      await findsNone(world, persistenceId, { maxTimestamp: 100 });
    },
  },
  {
    name: "nothing is loaded if all numbers are higher",
    source: "Akka SnapshotStoreSpec: non-matching sequence number",
    run: async (world) => {
      const { persistenceId } = await saveFive(world);
      await findsNone(world, persistenceId, { maxSequenceNr: 7 });
      await findsNone(world, persistenceId, upTo(7));
    },
  },
  {
    name: "without criteria the latest is loaded",
    source: "Akka SnapshotStoreSpec: most recent",
    run: async (world) => {
      const { saved } = await saveFive(world);
      await finds(world, {}, saved[4], "s-5");
    },
  },
  {
    name: "the latest up to a number is loaded",
    source: "Akka SnapshotStoreSpec: upper sequence number",
    run: async (world) => {
      const { saved } = await saveFive(world);
      await finds(world, { maxSequenceNr: 13 }, saved[2], "s-3");
      await finds(world, upTo(13), saved[2], "s-3");
    },
  },
  {
    name: "the latest up to a number and a timestamp is loaded",
    source: "Akka SnapshotStoreSpec: upper sequence number and timestamp",
    run: async (world) => {
      const { saved } = await saveFive(world);
      const maxTimestamp = saved[2].timestamp;
      await finds(world, { maxSequenceNr: 13, maxTimestamp }, saved[2], "s-3");
      await finds(world, { ...upTo(13), maxTimestamp }, saved[2], "s-3");
    },
  },
  {
    name: "one snapshot is deleted by its number, and a timestamp of 0 means any",
    source: "Akka SnapshotStoreSpec: delete a single snapshot",
    run: async (world) => {
      const { persistenceId, saved } = await saveFive(world);
      await world.store.delete(persistenceId, 13, { timestamp: 0 });
      await finds(world, { maxSequenceNr: 13 }, saved[1], "s-2");
    },
  },
  {
    name: "all snapshots up to a number and a timestamp are deleted",
    source: "Akka SnapshotStoreSpec: delete by upper bounds",
    run: async (world) => {
      const { persistenceId, saved } = await saveFive(world);
      const criteria = { maxSequenceNr: 13, maxTimestamp: saved[2].timestamp };
      await world.store.deleteMany(persistenceId, criteria);
      await findsNone(world, persistenceId, criteria);
      await finds(world, { maxSequenceNr: 14, maxTimestamp: saved[3].timestamp }, saved[3], "s-4");
    },
  },
  {
    name: "a snapshot newer than the timestamp is not deleted",
    source: "Akka SnapshotStoreSpec: not delete on non-matching timestamp",
    run: async (world) => {
      const { persistenceId, saved } = await saveFive(world);
      const { timestamp } = saved[3];
      await world.store.deleteMany(persistenceId, { maxSequenceNr: 14, maxTimestamp: timestamp - 1 });
      await finds(world, { maxSequenceNr: 14, maxTimestamp: timestamp }, saved[3], "s-4");
    },
  },
  {
    name: "a snapshot of the same number is replaced",
    source: "Akka SnapshotStoreSpec: overwrite with the same sequence number",
    run: async (world) => {
      const { persistenceId } = await saveFive(world);
      const again = await world.store.save(persistenceId, 15, "s-5-modified");
      assert.equal(again.sequenceNr, 15);
      await finds(world, { maxSequenceNr: 15 }, again, "s-5-modified");
    },
  },
  {
    name: "a snapshot of 10,000 characters is saved and loaded",
    source: "Akka SnapshotStoreSpec: bigger size snapshot",
    run: async (world) => {
      const state = "0123456789".repeat(1_000);
      const saved = await world.store.save(world.unique(), 100, state);
      await finds(world, {}, saved, state);
    },
  },
  {
    name: "a state of a serializer of the user's is loaded as it was saved",
    source: "Akka SnapshotStoreSpec: serialize snapshots",
    needs: "foreignSerializers",
    run: async (world) => {
      const state = { serializerId: 666, manifest: "A", bytes: Uint8Array.from([0, 255, 1, 128]) };
      const saved = await world.store.save(world.unique(), 100, state);
      const found = await world.store.load(saved.persistenceId);
      assert.deepEqual([found?.serializerId, found?.serializerManifest], [666, "A"]);
      const loaded = found?.state as typeof state;
      assert.deepEqual(
        [loaded.serializerId, loaded.manifest, [...loaded.bytes]],
        [666, "A", [...state.bytes]],
      );
    },
  },
  {
    name: "metadata come back with the snapshot",
    source: "Akka SnapshotStoreSpec: metadata",
    needs: "metadata",
    run: async (world) => {
      const persistenceId = world.unique();
      const saved = await world.store.save(persistenceId, 100, "state", { metadata: { by: "m" } });
      const found = await finds(world, {}, saved, "state");
      assert.deepEqual(found.metadata, { by: "m" });
      await world.store.save(persistenceId, 101, "state");
      assert.equal((await world.store.load(persistenceId))?.metadata, undefined);
    },
  },
];
