import fc from "fast-check";
import { expect, test } from "vitest";
import { fewDigits } from "./row-attributes.ts";

test("parses digits exactly", () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 10 ** 15 - 1 }), (n) => fewDigits(String(n)) === n));
  expect(fewDigits("007")).toBe(7);
});

test.each(["", "-1", "1.0", "1e3", " 1", "+1", "٣", "1234567890123456"])("%j is left to others", (text) => {
  expect(fewDigits(text)).toBe(-1);
});
