import assert from "node:assert/strict";
import {
  append,
  events,
  gives,
  type JournalCase,
  type JournalWorld,
  type OriginalRow,
  range,
} from "./journal-case.ts";

/** Rows of one atomic write of the original, those of `missing` left out. */
async function putBatch(
  { rows }: JournalWorld,
  persistenceId: string,
  first: number,
  count: number,
  missing: readonly number[] = [],
): Promise<void> {
  for (const sequenceNr of range(first, first + count - 1)) {
    const place: Partial<OriginalRow> = count > 1 ? { index: sequenceNr - first, lastIndex: count - 1 } : {};
    const row = { persistenceId, sequenceNr, text: `a-${sequenceNr}`, writerUuid: "original", ...place };
    if (!missing.includes(sequenceNr)) await rows.putOriginal(row);
  }
}

/** What the original leaves behind, and what becomes of rows behind a journal's back. */
export const originalCases: readonly JournalCase[] = [
  {
    name: "of the original's half batches nothing is replayed, and the numbers of their rows stay taken",
    source: "akka-persistence-dynamodb RecoveryConsistencySpec: rows deleted behind the journal's back",
    needs: ["rows", "originals"],
    run: async (world) => {
      const id = world.unique();
      await putBatch(world, id, 1, 3, [2]);
      await putBatch(world, id, 4, 3, [4]);
      await putBatch(world, id, 7, 3);
      await putBatch(world, id, 10, 3, [12]);
      await putBatch(world, id, 13, 1);
      await putBatch(world, id, 14, 3, [16]);
      await gives(world.journal, id, {}, [7, 8, 9, 13]);
      assert.equal(await world.journal.highestSequenceNr(id), 15);
      const writer = await world.journal.recover(id);
      await append(writer, events(16, 18));
      await gives(world.journal, id, {}, [7, 8, 9, 13, 16, 17, 18]);
      await gives(world.journal, id, { from: 15 }, [16, 17, 18]);
    },
  },
  {
    name: "events that the original writes into the numbers of its own half batch are replayed",
    source:
      "defect: a persistAll of 30 events dies after its first request of 25; the next event gets number 30",
    needs: ["rows", "originals"],
    run: async (world) => {
      const id = world.unique();
      for (const number of range(1, 4)) await putBatch(world, id, number, 1);
      await putBatch(world, id, 5, 30, range(30, 34));
      await putBatch(world, id, 30, 1);
      assert.equal(await world.journal.highestSequenceNr(id), 30);
      await gives(world.journal, id, {}, [1, 2, 3, 4, 30]);
      await append(await world.journal.recover(id), ...events(31, 33));
      await gives(world.journal, id, {}, [1, 2, 3, 4, 30, 31, 32, 33]);
      await gives(world.journal, id, { to: 32 }, [1, 2, 3, 4, 30, 31, 32]);
      await gives(world.journal, id, { to: 29 }, [1, 2, 3, 4]);
      await gives(world.journal, id, { from: 12 }, [30, 31, 32, 33]);
      await gives(world.journal, id, { from: 12, to: 31, max: 1 }, [30]);
    },
  },
  {
    name: "a batch of the original that takes the place of its half batch's end is replayed",
    source:
      "akka-persistence-dynamodb RecoveryConsistencySpec: a new batch where the rows of another are gone",
    needs: ["rows", "originals"],
    run: async (world) => {
      const id = world.unique();
      await putBatch(world, id, 1, 5, [3, 4, 5]);
      await putBatch(world, id, 3, 3);
      await gives(world.journal, id, {}, [3, 4, 5]);
      await gives(world.journal, id, { from: 4 }, [4, 5]);
      await gives(world.journal, id, { to: 4 }, []);
      assert.equal(await world.journal.highestSequenceNr(id), 5);
    },
  },
  {
    name: "the original's batches are replayed from within if all of them is there",
    source: "defect: a partial batch at the lower bound is dropped",
    needs: ["rows", "originals"],
    run: async (world) => {
      const id = world.unique();
      await putBatch(world, id, 1, 4);
      await putBatch(world, id, 5, 4, [5]);
      await putBatch(world, id, 9, 1);
      await gives(world.journal, id, { from: 3 }, [3, 4, 9]);
      await gives(world.journal, id, { from: 7 }, [9]);
      await world.journal.deleteTo(id, 2);
      await gives(world.journal, id, {}, [3, 4, 9]);
    },
  },
  {
    name: "the original's rows without a high mark are found",
    source: "akka-persistence-dynamodb BackwardsCompatibilityV1Spec",
    needs: ["rows", "originals"],
    run: async (world) => {
      const id = world.unique();
      for (const number of range(1, 20)) await putBatch(world, id, number, 1);
      await gives(world.journal, id, { from: 0, to: 20 }, range(1, 20));
      assert.equal(await world.journal.highestSequenceNr(id), 20);
    },
  },
  {
    name: "a lost event that was never deleted is reported, not skipped",
    source: "defect: holes are skipped silently",
    needs: ["rows"],
    run: async (world) => {
      const id = world.unique();
      await append(await world.journal.recover(id), ...events(1, 5));
      await world.rows.remove(id, 3);
      await assert.rejects(gives(world.journal, id, {}, []), { code: "JOURNAL_DAMAGED" });
      await world.journal.deleteTo(id, 3);
      await gives(world.journal, id, {}, [4, 5]);
    },
  },
  {
    name: "a multiple of 100 whose row is gone still counts",
    source: "akka-persistence-dynamodb RecoveryConsistencySpec: a missing row at sort key 0",
    needs: ["marks", "rows"],
    run: async (world) => {
      const id = world.unique();
      await append(await world.journal.recover(id), events(1, 99), { payload: "a-100" });
      await world.rows.remove(id, 100);
      assert.equal(await world.journal.highestSequenceNr(id), 100);
      assert.deepEqual((await world.journal.listAll?.(id))?.sequenceNrs, range(1, 99));
    },
  },
];
