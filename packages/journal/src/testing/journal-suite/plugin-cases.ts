import assert from "node:assert/strict";
import type { AtomicWrite, Inventory } from "../../context/journal.ts";
import {
  append,
  events,
  gives,
  type JournalCase,
  type JournalWorld,
  range,
  replayed,
} from "./journal-case.ts";

/** The marks and live numbers of an id. */
async function lists({ journal }: JournalWorld, id: string, expected: Inventory): Promise<void> {
  assert.deepEqual(await journal.listAll?.(id), expected);
}

/** The cases of the plugin 1.x for DynamoDB that hold for any journal. */
export const pluginCases: readonly JournalCase[] = [
  {
    name: "marks, deletions and a purge leave what they should",
    source: "akka-persistence-dynamodb DeletionSpec",
    needs: ["marks"],
    run: async (world) => {
      const { journal } = world;
      const id = world.unique();
      const nothing = { lowMarks: [], highMarks: [], sequenceNrs: [] };
      await journal.purge(id);
      await lists(world, id, nothing);
      const writer = await journal.recover(id);
      await append(writer, ...events(1, 149));
      await lists(world, id, { lowMarks: [], highMarks: [100], sequenceNrs: range(1, 149) });
      await append(writer, events(150, 200));
      await lists(world, id, { lowMarks: [], highMarks: [100, 200], sequenceNrs: range(1, 200) });
      await journal.deleteTo(id, 5);
      await lists(world, id, { lowMarks: [6], highMarks: [100, 200], sequenceNrs: range(6, 200) });
      await gives(journal, id, {}, range(6, 200));
      await journal.deleteTo(id, 3);
      await lists(world, id, { lowMarks: [6], highMarks: [100, 200], sequenceNrs: range(6, 200) });
      await journal.deleteTo(id, 210);
      await lists(world, id, { lowMarks: [6, 201], highMarks: [100, 200], sequenceNrs: [] });
      await journal.purge(id);
      await lists(world, id, nothing);
      assert.equal(await journal.highestSequenceNr(id), 0);
    },
  },
  {
    name: "an id may begin with an atomic write",
    source: "akka-persistence-dynamodb PersistAllConsistencySpec: first write is a batch",
    run: async ({ journal, unique }) => {
      const id = unique();
      await append(await journal.recover(id), events(1, 10));
      await gives(journal, id, {}, range(1, 10));
      assert.equal(await journal.highestSequenceNr(id), 10);
    },
  },
  {
    name: "atomic writes across a multiple of 100 are found, at whatever position in them it is",
    source: "akka-persistence-dynamodb PersistAllConsistencySpec: issue 98",
    run: async ({ journal, another, unique }) => {
      const id = unique();
      const writer = await journal.recover(id);
      let last = 0;
      for (const [hundred, before] of [3, 2, 1].entries()) {
        const padded = (hundred + 1) * 100 - before;
        await append(writer, events(last + 1, padded), events(padded + 1, padded + 3));
        last = padded + 3;
        assert.equal(await (await another()).highestSequenceNr(id), last);
        await gives(journal, id, {}, range(1, last));
      }
    },
  },
  {
    name: "an atomic write that ends right before a multiple of 100 is found",
    source: "akka-persistence-dynamodb PersistAllConsistencySpec: a batch that ends its partition",
    run: async ({ journal, another, unique }) => {
      const id = unique();
      const writer = await journal.recover(id);
      await append(writer, events(1, 60), events(61, 99));
      assert.equal(await (await another()).highestSequenceNr(id), 99);
      await append(writer, events(100, 199));
      assert.equal(await (await another()).highestSequenceNr(id), 199);
      await gives(journal, id, {}, range(1, 199));
    },
  },
  {
    name: "reading the highest sequence number waits for appends in flight",
    source: "akka-persistence-dynamodb RecoveryConsistencySpec: never an intermediate number",
    run: async ({ journal, unique }) => {
      for (let round = 0; round < 10; round++) {
        const id = unique();
        const writer = await journal.recover(id);
        const writing = events(1, 20).map((event) => append(writer, event));
        const highest = journal.highestSequenceNr(id);
        const replay = gives(journal, id, {}, range(1, 20));
        assert.equal(await highest, 20);
        await replay;
        await Promise.all(writing);
      }
    },
  },
  {
    name: "an event that is too large is rejected, an atomic write with one as a whole, and neighbors are stored",
    source: "akka-persistence-dynamodb FailureReportingSpec: MaxItemSize exceeded",
    needs: ["sizeLimit"],
    run: async ({ journal, unique }) => {
      const id = unique();
      const writer = await journal.recover(id);
      const [one, two, three, four, five] = events(1, 5);
      const large = { payload: "x".repeat(400_001) };
      const writes = [one, large, two, [three, large, four], [three, four], five];
      const outcomes = await writer.appendEach(writes as AtomicWrite[]);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ["ok", "rejected", "ok", "rejected", "ok", "ok"],
      );
      await gives(journal, id, {}, range(1, 5));
      assert.equal(await journal.highestSequenceNr(id), 5);
    },
  },
  {
    name: "a recovery continues where the last writer ended",
    source: "akka-persistence-dynamodb DynamoDBIntegrationLoadSpec",
    run: async ({ another, journal, unique }) => {
      const id = unique();
      await append(await journal.recover(id), ...events(1, 16));
      const again = await another();
      const writer = await again.recover(id);
      assert.equal(writer.highestSequenceNr, 16);
      await append(writer, ...events(17, 18));
      await gives(again, id, {}, range(1, 18));
      await again.deleteTo(id, 3);
      await again.deleteTo(id, 7);
      await gives(journal, id, {}, range(8, 18));
      assert.equal((await journal.recover(id)).lowestSequenceNr, 8);
    },
  },
  {
    name: "atomic writes recover whole, and a part of one may be deleted",
    source: "akka-persistence-dynamodb DynamoDBIntegrationLoadSpec: persistAll of 6, 3 + 3 and 4",
    run: async ({ journal, unique }) => {
      const [six, twice, four] = [unique(), unique(), unique()];
      await append(await journal.recover(six), events(1, 6));
      await append(await journal.recover(twice), events(1, 3), events(4, 6));
      await append(await journal.recover(four), events(1, 4));
      for (const [id, last] of [
        [six, 6],
        [twice, 6],
        [four, 4],
      ] as const)
        await gives(journal, id, {}, range(1, last));
      await journal.deleteTo(six, 5);
      await gives(journal, six, {}, [6]);
    },
  },
  {
    name: "all ids are listed once, and a place among them is a place to go on from",
    source: "akka-persistence-dynamodb CurrentPersistenceIdsSpec",
    needs: ["ids"],
    run: async ({ journal, unique }) => {
      const ids = Array.from({ length: 60 }, unique);
      for (const id of ids) await append(await journal.recover(id), events(1, 2));
      const listed = async (after?: string) => {
        const found = [];
        for await (const known of journal.currentPersistenceIds?.(after === undefined ? {} : { after }) ?? [])
          found.push(known);
        return found;
      };
      const all = await listed();
      assert.equal(new Set(all.map(({ persistenceId }) => persistenceId)).size, all.length);
      assert.deepEqual(
        ids.filter((id) => !all.some(({ persistenceId }) => persistenceId === id)),
        [],
      );
      const place = all[19];
      if (place?.cursor === undefined) return;
      const rest = await listed(place.cursor);
      assert.deepEqual(
        rest.map(({ persistenceId }) => persistenceId),
        all.slice(20).map(({ persistenceId }) => persistenceId),
      );
    },
  },
  {
    name: "tags and timestamps are kept, and do not fall within an atomic write",
    source:
      "akka-persistence-dynamodb 2.x: timestamps inside one transaction; defect: dropped with the new layout",
    needs: ["tags"],
    run: async ({ journal, unique }) => {
      const id = unique();
      const tagged = { payload: "a-1", tags: ["red", "blue"], timestamp: 1_700_000_000_123 };
      await append(await journal.recover(id), tagged, events(2, 4));
      const [first, ...batch] = await replayed(journal, id);
      assert.deepEqual(
        [first?.timestamp, [...(first?.tags ?? [])].sort()],
        [1_700_000_000_123, ["blue", "red"]],
      );
      for (const [at, { timestamp }] of batch.entries()) {
        assert.ok(timestamp > 0 && timestamp >= (batch[at - 1]?.timestamp ?? 0));
      }
    },
  },
];
