import assert from "node:assert/strict";
import { append, events, gives, type JournalCase, range } from "./journal-case.ts";

/** Ids that a careless key would mix up or mangle. */
const awkwardIds = [
  "a-b",
  "a-b-0",
  "a|b",
  "-",
  "a--1",
  "P-a-0",
  "SH-a-0",
  "Ünïcødé-日本語-🦊",
  "x".repeat(1500),
  " ",
  "a\n\u0000b",
  "%2F/../",
];

/** Cases that no suite for journals has. */
export const moreCases: readonly JournalCase[] = [
  {
    name: "a replay that begins inside an atomic write gives the rest of it",
    source: "defect: after a snapshot inside a persistAll its rest is dropped",
    run: async ({ journal, unique }) => {
      const id = unique();
      await append(await journal.recover(id), events(1, 2), events(3, 6), { payload: "a-7" });
      for (const from of [3, 4, 5, 6]) await gives(journal, id, { from }, range(from, 7));
      await gives(journal, id, { from: 5, to: 6 }, [5, 6]);
    },
  },
  {
    name: "a bound or a count that cuts an atomic write ends the replay before it",
    source: "defect: the visible part of a cut batch is lost without a word",
    run: async ({ journal, unique }) => {
      const id = unique();
      await append(await journal.recover(id), events(1, 2), events(3, 6), { payload: "a-7" });
      for (const to of [3, 4, 5]) await gives(journal, id, { to }, [1, 2]);
      for (const max of [2, 3, 5]) await gives(journal, id, { max }, [1, 2]);
      await gives(journal, id, { from: 4, max: 2 }, []);
      await gives(journal, id, { from: 4, max: 3 }, [4, 5, 6]);
      await gives(journal, id, { max: 6 }, range(1, 6));
    },
  },
  {
    name: "a deletion inside an atomic write leaves the rest of it",
    source: "defect: deleteTo inside a batch drops all of it",
    run: async ({ journal, unique }) => {
      const id = unique();
      await append(await journal.recover(id), events(1, 4), events(5, 8));
      await journal.deleteTo(id, 6);
      await gives(journal, id, {}, [7, 8]);
      await gives(journal, id, { from: 1, to: 8, max: 2 }, [7, 8]);
      assert.equal(await journal.lowestSequenceNr(id), 7);
    },
  },
  {
    name: "atomic writes of 99, 100, 101 and 250 events are stored whole and in order",
    source: "defect: persistAll of more than 100 events fails",
    needs: ["largeBatches"],
    run: async ({ journal, another, unique }) => {
      const id = unique();
      const writer = await journal.recover(id);
      let last = 0;
      for (const size of [99, 100, 101, 250, 1]) {
        await append(writer, events(last + 1, last + size));
        last += size;
        assert.equal(await (await another()).highestSequenceNr(id), last);
        await gives(journal, id, {}, range(1, last));
      }
      await gives(journal, id, { from: 350, to: 549 }, []);
      await gives(journal, id, { from: 350, to: 550 }, range(350, 550));
      await journal.deleteTo(id, 400);
      await gives(journal, id, {}, range(401, last));
      await journal.deleteTo(id, last);
      await gives(journal, id, {}, []);
      assert.equal(await (await another()).highestSequenceNr(id), last);
      await append(await journal.recover(id), events(last + 1, last + 120));
      await gives(journal, id, {}, range(last + 1, last + 120));
    },
  },
  {
    name: "of two writers of one id, one gets every sequence number, and the other a conflict",
    source: "defect: two writers overwrite each other silently",
    run: async ({ journal, another, unique }) => {
      const id = unique();
      const [one, other] = [await journal.recover(id), await (await another()).recover(id)];
      const outcomes = await Promise.all([one.append({ payload: "a-1" }), other.append({ payload: "a-1" })]);
      const kinds = outcomes.map(({ kind }) => kind);
      assert.deepEqual([...kinds].sort(), ["conflict", "ok"]);
      await gives(journal, id, {}, [1]);
      const loser = kinds[0] === "conflict" ? one : other;
      assert.equal((await loser.append({ payload: "late" })).kind, "rejected");
      await append(await journal.recover(id), { payload: "a-2" });
      await gives(journal, id, {}, [1, 2]);
    },
  },
  {
    name: "after a conflict nothing that follows in the call is stored",
    source: "defect: events interleave with those of another writer",
    run: async ({ journal, another, unique }) => {
      const id = unique();
      const stale = await journal.recover(id);
      await append(await (await another()).recover(id), { payload: "a-1" });
      const outcomes = await stale.appendEach([
        { payload: "x" },
        { payload: "y" },
        [{ payload: "z" }, { payload: "z" }],
      ]);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ["conflict", "rejected", "rejected"],
      );
      await gives(journal, id, {}, [1]);
    },
  },
  {
    name: "every recovery has a new writer id",
    source: "Akka's replay filter drops a writer that comes back",
    run: async ({ journal, unique }) => {
      const id = unique();
      const uuids = [await journal.recover(id), await journal.recover(id)].map(
        ({ writerUuid }) => writerUuid,
      );
      assert.notEqual(uuids[0], uuids[1]);
    },
  },
  {
    name: "deletions below what is deleted and beyond the end change nothing and create nothing",
    source: "defect: deleting below an earlier delete leaves an id that cannot recover",
    run: async ({ journal, unique }) => {
      const [id, fresh] = [unique(), unique()];
      await journal.deleteTo(fresh, 100);
      assert.equal(await journal.highestSequenceNr(fresh), 0);
      await append(await journal.recover(id), ...events(1, 5));
      await journal.deleteTo(id, 0);
      await gives(journal, id, {}, range(1, 5));
      await journal.deleteTo(id, 3);
      await journal.deleteTo(id, 2);
      await gives(journal, id, {}, [4, 5]);
      await journal.deleteTo(id, 1000);
      await gives(journal, id, {}, []);
      assert.equal(await journal.highestSequenceNr(id), 5);
      await append(await journal.recover(id), { payload: "a-6" });
      await gives(journal, id, {}, [6]);
    },
  },
  {
    name: "ids with dashes, pipes and letters of any script are kept apart, up to 1.5 KB",
    source: "defect: an id with a non-ASCII character cannot be opened; ids in keys are ambiguous",
    run: async ({ journal, unique }) => {
      const run = unique();
      const ids = awkwardIds.map((id) => (id.length > 1000 ? `${run}${id}`.slice(0, 1500) : `${run}${id}`));
      for (const [at, id] of ids.entries()) await append(await journal.recover(id), ...events(1, at + 1));
      for (const [at, id] of ids.entries()) {
        await gives(journal, id, {}, range(1, at + 1));
        assert.equal(await journal.highestSequenceNr(id), at + 1);
      }
      await journal.purge(ids[0] ?? "");
      for (const [at, id] of ids.entries())
        assert.equal(await journal.highestSequenceNr(id), at === 0 ? 0 : at + 1);
    },
  },
  {
    name: "a purged id starts again at 1",
    source: "the contract of purge",
    run: async ({ journal, unique }) => {
      const id = unique();
      await append(await journal.recover(id), ...events(1, 3), events(4, 120));
      await journal.deleteTo(id, 2);
      await journal.purge(id);
      await gives(journal, id, {}, []);
      assert.equal(await journal.highestSequenceNr(id), 0);
      assert.equal(await journal.lowestSequenceNr(id), 1);
      await append(await journal.recover(id), { payload: "a-1" });
      await gives(journal, id, {}, [1]);
    },
  },
  {
    name: "a replay that is stopped early reads no further",
    source: "memory and requests of a replay are bounded",
    run: async ({ journal, unique }) => {
      const id = unique();
      await append(await journal.recover(id), events(1, 90), ...events(91, 95));
      for await (const { sequenceNr } of journal.replay(id)) if (sequenceNr === 92) break;
      const abort = new AbortController();
      const reading = (async () => {
        for await (const { sequenceNr } of journal.replay(id, { signal: abort.signal })) {
          if (sequenceNr === 91) abort.abort(new Error("enough"));
        }
      })();
      await reading.catch(() => undefined);
      await gives(journal, id, { from: 95 }, [95]);
    },
  },
];
