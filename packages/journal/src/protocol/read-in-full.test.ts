import { expect, test } from "vitest";
import type { EventRow, JournalRow } from "../rows/event-row.ts";
import { readInFull } from "./read-rows.ts";

function event(sequenceNr: number, more: Partial<EventRow> = {}): EventRow {
  return {
    kind: "event",
    persistenceId: "a",
    sequenceNr,
    payload: { serializerId: 1, manifest: "", bytes: new Uint8Array() },
    manifest: "",
    writerUuid: "w",
    tags: [],
    writeId: `write-${sequenceNr}`,
    staged: false,
    ...more,
  };
}

/** The events `first` to `last`, with those of one atomic write that holds them all. */
function write(first: number, last: number, writeId = `write-${first}`): EventRow[] {
  return Array.from({ length: last - first + 1 }, (_unused, index) =>
    event(first + index, { writeId, batch: { index, lastIndex: last - first } }),
  );
}

function read(rows: readonly JournalRow[], from: number, to: number): readonly number[] | undefined {
  const early = [{ span: { from: 1, to: Number.MAX_SAFE_INTEGER }, rows, complete: true }];
  return readInFull({ from, to }, early)?.map(({ sequenceNr }) => sequenceNr);
}

test("has all events of a range of single events and whole atomic writes", () => {
  const rows = [event(1), ...write(2, 4), ...write(5, 6), event(7)];
  expect(read(rows, 1, 7)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(read(rows, 2, 6)).toEqual([2, 3, 4, 5, 6]);
  expect(read(rows, 7, 7)).toEqual([7]);
});

test("leaves a range that ends or begins within an atomic write to the assembler", () => {
  const rows = [event(1), ...write(2, 4), event(5)];
  expect(read(rows, 1, 3)).toBeUndefined();
  expect(read(rows, 3, 5)).toBeUndefined();
});

test.each<[string, readonly JournalRow[]]>([
  ["a hole", [event(1), event(3)]],
  ["an end before that of the range", [event(1), event(2)]],
  ["a tombstone", [event(1), { kind: "tombstone", sequenceNr: 2 }, event(3)]],
  ["a staged event", [event(1), event(2, { staged: true }), event(3)]],
  ["a softly deleted event", [event(1), event(2, { deleted: true }), event(3)]],
  ["an event of the original", [event(1), event(2, { writeId: undefined }), event(3)]],
  ["an atomic write that another one interrupts", [...write(1, 3).slice(0, 2), event(3)]],
  [
    "events of two atomic writes at the same numbers",
    [...write(1, 3).slice(0, 2), ...write(1, 3, "other").slice(2)],
  ],
])("leaves %s to the assembler", (_name, rows) => {
  expect(read(rows, 1, 3)).toBeUndefined();
});
