import fc from "fast-check";
import { expect, test } from "vitest";
import { addChange, EarlierWriters, type Written } from "./earlier-writers.ts";
import { replayFilter } from "./replay-limit.ts";

const pool = Array.from({ length: 50 }, (_, at) => `writer-${at}`);
/** Writers that follow each other: each once, as after restarts, in any order, or some again and again, with ours between them. */
const turns = fc
  .array(
    fc.oneof(
      fc.shuffledSubarray(pool, { minLength: 10 }),
      fc.array(fc.constantFrom(...pool.slice(0, 14), "ours"), { maxLength: 60 }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.flat());

function rowsOf(names: readonly string[], perTurn: number): Written[] {
  return names.flatMap((writerUuid, at) => {
    const row = { writerUuid, writeId: writerUuid === "ours" ? `write-${at}` : undefined };
    return Array.from({ length: perTurn }, () => row);
  });
}

test("the writers before an event show the same superseded ones as all events do", () => {
  let decided = 0;
  const property = (names: readonly string[], perTurn: number, step: number) => {
    const rows = rowsOf(names, perTurn);
    const whole = replayFilter("repair-by-discard-old", () => undefined);
    for (const row of rows) whole(row);
    const writers = new EarlierWriters();
    for (let to = rows.length; to > 0 && !writers.isDecided; to -= step) {
      const changes: Written[] = [];
      for (const row of rows.slice(Math.max(0, to - step), to)) addChange(changes, row);
      writers.addBefore(changes);
    }
    if (writers.isDecided) decided++;
    const learned = replayFilter("repair-by-discard-old", () => undefined);
    for (const change of writers.inOrder()) learned(change);
    // What each filter says of every writer afterwards, one after the other, is all that it remembers.
    const probes = [...new Set(rows.map(({ writerUuid }) => writerUuid))].map((writerUuid) => ({
      writerUuid,
    }));
    expect(probes.map((probe) => learned(probe))).toEqual(probes.map((probe) => whole(probe)));
  };
  fc.assert(fc.property(turns, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 20 }), property), {
    numRuns: 3_000,
  });
  expect(decided).toBeGreaterThan(100);
});

test("one writer is never enough, many that each wrote once are", () => {
  const writersOf = (names: readonly string[]) => {
    const writers = new EarlierWriters();
    for (const writerUuid of names.toReversed()) writers.addBefore([{ writerUuid }]);
    return writers;
  };
  expect(writersOf(Array.from({ length: 1_000 }, () => "a")).isDecided).toBe(false);
  expect(writersOf(Array.from({ length: 1_000 }, (_, at) => `${at % 33}`)).isDecided).toBe(false);
  const many = writersOf(Array.from({ length: 1_000 }, (_, at) => `${at}`));
  expect(many.isDecided).toBe(true);
  expect(many.inOrder()).toHaveLength(34);
});

test("more changes of the writer than memory may hold are reported", () => {
  const writers = new EarlierWriters();
  const changes = Array.from({ length: 10_002 }, (_, at) => ({ writerUuid: `${at % 2}` }));
  writers.addBefore(changes);
  expect(writers).toMatchObject({ isTooLong: true, isDecided: false });
});
