import { expect, test } from "vitest";
import { attributesToGet } from "./legacy-parameters.ts";

test("names of attributes are paths of one part, even with dots", () => {
  expect(attributesToGet(["a", "b.c", "__proto__"])).toEqual([["a"], ["b.c"], ["__proto__"]]);
  expect(attributesToGet(undefined)).toBeUndefined();
});

test.each([
  [["a", "a"], "One or more parameter values were invalid: Duplicate value in attribute name: a"],
  [["a", ""], "Empty attribute name"],
])("%j is rejected", (names, words) => {
  expect(() => attributesToGet(names)).toThrow(words);
});
