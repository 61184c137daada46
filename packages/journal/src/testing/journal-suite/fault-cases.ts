import assert from "node:assert/strict";
import {
  append,
  events,
  gives,
  type JournalCase,
  type JournalUnderTest,
  type JournalWorld,
  range,
  replayed,
} from "./journal-case.ts";

/** Everything a journal does, once: appends of every kind, a deletion, replays; all in the presence of faults. */
async function everything(faulty: JournalUnderTest, { journal, unique }: JournalWorld): Promise<void> {
  const id = unique();
  const writer = await faulty.recover(id);
  await append(writer, { payload: "a-1" }, events(2, 99), { payload: "a-100" }, events(101, 205));
  await gives(faulty, id, {}, range(1, 205));
  assert.equal(await faulty.highestSequenceNr(id), 205);
  await faulty.deleteTo(id, 150);
  await gives(faulty, id, {}, range(151, 205));
  await gives(journal, id, {}, range(151, 205));
  await faulty.purge(id);
  assert.equal(await journal.highestSequenceNr(id), 0);
}

function faultCase(name: string, source: string, faults: string): JournalCase {
  return {
    name,
    source,
    needs: ["faults"],
    run: async (world) => everything(await world.withFaults(`seed=1 faults=[${faults}]`), world),
  };
}

/** Faults of DynamoDB. */
export const faultCases: readonly JournalCase[] = [
  faultCase(
    "items of batches that come back unprocessed are sent again",
    "defect: unprocessed items are dropped while success is reported",
    "{kind:unprocessed,share:.5,rounds:1,p:.4}",
  ),
  faultCase(
    "pages of one item are followed to the end",
    "defect: only the first page is read",
    "{kind:page-cut,items:1}",
  ),
  faultCase(
    "empty pages are followed to the end",
    "defect: a page without items counts as the end",
    "{kind:page-cut,items:0,p:.5}",
  ),
  faultCase(
    "writes in the way of another's transaction are sent again",
    "defect: TransactionConflict is reported as a failure",
    "{kind:transaction-conflict,op:PutItem,p:.3},{kind:transaction-conflict,op:TransactWriteItems,p:.3}",
  ),
  faultCase(
    "an append whose answers are lost is stored once",
    "defect: a retried write that meets its own success is reported as failed",
    "{kind:lost-after-apply,op:PutItem,p:.3},{kind:lost-after-apply,op:TransactWriteItems,p:.5}",
  ),
  faultCase(
    "an append that is lost on its way is sent again",
    "defect: a lost request is reported as failed",
    "{kind:lost-before-apply,op:PutItem,p:.3},{kind:error-before-apply,op:TransactWriteItems,p:.5}",
  ),
  {
    name: "marks that cannot be read fail the call: a number is never too low",
    source: "defect: a failed read of one shard counts as no mark",
    needs: ["faults"],
    run: async (world) => {
      const id = world.unique();
      await append(await world.journal.recover(id), events(1, 99), ...events(100, 101));
      const refused = async (op: string) => {
        const faulty = await world.withFaults(
          `seed=1 faults=[{op:${op},kind:refuse,exception:AccessDeniedException}]`,
        );
        const calls = [
          faulty.highestSequenceNr(id),
          faulty.recover(id).then(({ highestSequenceNr }) => highestSequenceNr),
          replayed(faulty, id).then((found) => found.length),
        ];
        return Promise.all(calls.map((call) => call.catch(() => "failed")));
      };
      // Which requests read them is the layout's: each call fails without one of them, and never returns less.
      const [marks, ends] = [await refused("BatchGetItem"), await refused("Query")];
      for (const [at, result] of marks.entries()) {
        assert.ok([result, ends[at]].includes("failed"));
        assert.ok([result, ends[at]].every((each) => each === "failed" || each === 101));
      }
    },
  },
  {
    name: "an append that the table refuses is rejected, and so is what follows in the call",
    source: "akka-persistence-dynamodb FailureReportingSpec: a failing store fails the whole call",
    needs: ["faults"],
    run: async (world) => {
      const id = world.unique();
      const refusal = "kind:refuse,exception:AccessDeniedException,times:1";
      await append(await world.journal.recover(id), { payload: "a-1" });
      const faulty = await world.withFaults(
        `seed=1 faults=[{op:PutItem,${refusal}},{op:TransactWriteItems,${refusal}}]`,
      );
      const writer = await faulty.recover(id);
      const outcomes = await writer.appendEach([{ payload: "x" }, { payload: "y" }]);
      assert.deepEqual(
        outcomes.map(({ kind }) => kind),
        ["rejected", "rejected"],
      );
      await append(writer, { payload: "a-2" });
      await gives(world.journal, id, {}, [1, 2]);
    },
  },
];
