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
    name: "of the original's half batches nothing is replayed, and their numbers stay taken",
    source: "akka-persistence-dynamodb RecoveryConsistencySpec: rows deleted behind the journal's back",
    needs: ["rows"],
    run: async (world) => {
      const id = world.unique();
      await putBatch(world, id, 1, 3, [2]);
      await putBatch(world, id, 4, 3, [4]);
      await putBatch(world, id, 7, 3);
      await putBatch(world, id, 10, 3, [12]);
      await putBatch(world, id, 13, 1);
      await putBatch(world, id, 14, 3, [16]);
      await gives(world.journal, id, {}, [7, 8, 9, 13]);
      assert.equal(await world.journal.highestSequenceNr(id), 16);
      const writer = await world.journal.recover(id);
      await append(writer, events(17, 19));
      await gives(world.journal, id, {}, [7, 8, 9, 13, 17, 18, 19]);
      await gives(world.journal, id, { from: 16 }, [17, 18, 19]);
    },
  },
  {
    name: "the original's batches are replayed from within if all of them is there",
    source: "defect: a partial batch at the lower bound is dropped",
    needs: ["rows"],
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
    needs: ["rows"],
    run: async (world) => {
      const id = world.unique();
      for (const number of range(1, 20)) await putBatch(world, id, number, 1);
      await gives(world.journal, id, { from: 0, to: 20 }, range(1, 20));
      assert.equal(await world.journal.highestSequenceNr(id), 20);
    },
  },
  {
    name: "an event that is gone although nobody deleted it is reported, not skipped",
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
