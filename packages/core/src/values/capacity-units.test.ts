import { expect, test } from "vitest";
import { readUnits, writeUnits } from "./capacity-units.ts";

test("a write costs one unit per started KB, twice in a transaction", () => {
  expect([0, 1, 1024, 1025, 409_600].map((bytes) => writeUnits(bytes))).toEqual([1, 1, 1, 2, 400]);
  expect(writeUnits(1025, "transactional")).toBe(4);
});

test("a read costs one unit per started 4 KB, half if eventual, twice in a transaction", () => {
  expect([0, 4096, 4097, 409_600].map((bytes) => readUnits(bytes, "strong"))).toEqual([1, 1, 2, 100]);
  expect(readUnits(4097)).toBe(1);
  expect(readUnits(0, "eventual")).toBe(0.5);
  expect(readUnits(4097, "transactional")).toBe(4);
});
