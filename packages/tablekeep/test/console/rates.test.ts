import { expect, test } from "vitest";
import { addSample, ratesOf, type Sample, type TablesUsed } from "../../console/overview/rates.ts";

const overview = (
  at: number,
  ...used: { requests: number; readUnits?: number; writeUnits?: number }[]
): TablesUsed => ({
  at,
  tables: used.map((each) => ({ used: { failures: 0, readUnits: 0, writeUnits: 0, ...each } })),
});

test("rates are counts of all tables per second, and 0 after a restart of the server", () => {
  let samples: readonly Sample[] = [];
  for (const [at, one, other] of [
    [0, 10, 5],
    [2_000, 14, 11],
    [3_000, 14, 11],
    [4_000, 1, 0],
  ] as const)
    samples = addSample(samples, overview(at, { requests: one }, { requests: other }));
  expect(ratesOf(samples, ({ requests }) => requests)).toEqual([5, 0, 0]);
});

test("units read and written are added up, and old samples are dropped", () => {
  let samples: readonly Sample[] = [];
  for (let at = 0; at < 100; at++)
    samples = addSample(samples, overview(at * 1_000, { requests: at, readUnits: at * 0.5, writeUnits: at }));
  expect(samples).toHaveLength(60);
  expect(ratesOf(samples, ({ units }) => units)).toEqual(Array.from({ length: 59 }, () => 1.5));
});
