import { expect, test } from "vitest";
import type { EventRow } from "../rows/event-row.ts";
import { BatchAssembler } from "./batch-assembler.ts";

/** A row of a batch of the original, from 1 to 5. */
function rowOf(sequenceNr: number): EventRow {
  return {
    kind: "event",
    persistenceId: "p",
    sequenceNr,
    payload: { serializerId: 4, manifest: "", bytes: new Uint8Array() },
    manifest: "",
    writerUuid: "akka",
    tags: [],
    staged: false,
    batch: { index: sequenceNr - 1, lastIndex: 4 },
  };
}

test("skips a batch whose first rows are gone: a delete may have removed them", () => {
  const assembler = new BatchAssembler({ from: 4, to: 5, low: 0 });
  expect(assembler.take(rowOf(4), true)).toMatchObject({ ask: "batch-start", from: 1, to: 3 });
  assembler.answerBatchStart(false);
  expect(assembler.take(rowOf(4), true)).toBeUndefined();
  expect(assembler.take(rowOf(5), true)).toBeUndefined();
  expect(assembler.finish()).toBeUndefined();
  expect(assembler.takeGiven()).toEqual([]);
  expect(assembler.skippedFrom).toBe(1);
});

test("a batch that begins below the range returns its rest if its first rows are there", () => {
  const assembler = new BatchAssembler({ from: 4, to: 5, low: 0 });
  assembler.take(rowOf(4), true);
  assembler.answerBatchStart(true);
  assembler.take(rowOf(4), true);
  assembler.take(rowOf(5), true);
  expect(assembler.takeGiven()).toMatchObject([{ rows: [{ sequenceNr: 4 }, { sequenceNr: 5 }], whole: 2 }]);
});
