import { expect, test } from "vitest";
import type { EventRow } from "../rows/event-row.ts";
import { replayFilter } from "./replay-limit.ts";

let sequenceNr = 0;

function rowOf(writerUuid: string, writeId?: string): EventRow {
  return {
    kind: "event",
    persistenceId: "p",
    sequenceNr: ++sequenceNr,
    payload: { serializerId: 4, manifest: "", bytes: new Uint8Array() },
    manifest: "",
    writerUuid,
    tags: [],
    staged: false,
    ...(writeId !== undefined && { writeId }),
  };
}

/** Whether each row passes. */
function passed(rows: readonly EventRow[]): boolean[] {
  const passes = replayFilter("repair-by-discard-old", () => undefined);
  return rows.map((row) => passes(row));
}

test("drops a writer that returns after another, no matter who wrote in between", () => {
  expect(passed([rowOf("a"), rowOf("b"), rowOf("a"), rowOf("b")])).toEqual([true, true, false, true]);
  expect(passed([rowOf("a"), rowOf("ours", "w1"), rowOf("a")])).toEqual([true, true, false]);
});

test("our rows pass, also those of a writer that comes back", () => {
  expect(passed([rowOf("ours", "w1"), rowOf("a"), rowOf("ours", "w2")])).toEqual([true, true, true]);
});

test("ten superseded writers are remembered, as by Akka's max-old-writers", () => {
  const writers = Array.from({ length: 12 }, (_unused, at) => `w${at}`);
  const rows = [...writers, "w0", "w2"].map((writer) => rowOf(writer));
  // w0 was forgotten; w2 is one of the last ten.
  expect(passed(rows)).toEqual([...writers.map(() => true), true, false]);
});

test("one own writer per event does not count towards them", () => {
  const ours = Array.from({ length: 1000 }, (_unused, at) => rowOf(`ours-${at}`, `id-${at}`));
  expect(passed([rowOf("a"), ...ours, rowOf("a")]).slice(-1)).toEqual([false]);
});
