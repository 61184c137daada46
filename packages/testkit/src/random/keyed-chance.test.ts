import { expect, test } from "vitest";
import { keyedChance } from "./seeded-random.ts";

const values = (key: string, count = 50_000) => {
  const chance = keyedChance(key);
  return Array.from({ length: count }, (_, index) => chance(index));
};

test("a keyed chance is decided by key and number alone", () => {
  const chance = keyedChance("7 {kind:hang}");
  expect([chance(5), chance(1), chance(5)]).toEqual([chance(5), values("7 {kind:hang}", 2)[1], chance(5)]);
});

test("chances are in [0, 1), evenly spread, and neighbors and other keys have nothing in common", () => {
  for (const key of ["", "1 {kind:hang}", "2 {kind:hang}"]) {
    const all = values(key);
    expect(all.every((value) => value >= 0 && value < 1)).toBe(true);
    const share = (hits: readonly boolean[]) => hits.filter(Boolean).length / hits.length;
    const near = (actual: number, expected: number) =>
      expect(Math.abs(actual - expected)).toBeLessThan(0.015);
    for (const p of [0.05, 0.3, 0.7]) near(share(all.map((value) => value < p)), p);
    near(share(all.map((value, index) => value > (all[index - 1] ?? 0.5))), 0.5);
    const other = values(`${key} `);
    near(share(all.map((value, index) => value < 0.5 && (other[index] ?? 0) < 0.5)), 0.25);
  }
});
