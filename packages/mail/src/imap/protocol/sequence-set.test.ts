import fc from "fast-check";
import { expect, test } from "vitest";
import { inRanges, parseSequenceSet } from "./sequence-set.ts";

test.each([
  ["7", [[7, 7]]],
  [
    "5:3,1",
    [
      [1, 1],
      [3, 5],
    ],
  ],
  ["1:3,2:9,4", [[1, 9]]],
  [
    "1,2,3,5",
    [
      [1, 3],
      [5, 5],
    ],
  ],
  ["12:*", [[10, 12]]],
  ["*", [[10, 10]]],
])("%s is parsed", (text, expected) => {
  expect(parseSequenceSet(text, 10).map(({ from, to }) => [from, to])).toEqual(expected);
});

test("a set has the numbers of its ranges, and no others", () => {
  const number = fc.integer({ min: 1, max: 40 });
  const part = fc.oneof(
    number.map((one) => [one, one] as const),
    fc.tuple(number, number),
  );
  const property = fc.property(fc.array(part, { minLength: 1, maxLength: 12 }), (parts) => {
    const ranges = parseSequenceSet(parts.map(([one, other]) => `${one}:${other}`).join(","), 40);
    for (let value = 0; value <= 41; value++)
      expect(inRanges(ranges, value)).toBe(
        parts.some(([one, other]) => Math.min(one, other) <= value && value <= Math.max(one, other)),
      );
  });
  fc.assert(property);
});
