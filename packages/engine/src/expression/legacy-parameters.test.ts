import { expect, test } from "vitest";
import { evaluate } from "./evaluate.ts";
import { attributesToGet, legacyConditions } from "./legacy-parameters.ts";
import { conditionPaths } from "./syntax-tree.ts";

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

test.each(["AND", "OR"])("thousands of conditions joined by %s are evaluated in their order", (operator) => {
  const names = Array.from({ length: 20_000 }, (_, at) => `a${at}`);
  const given = Object.fromEntries(
    names.map((name) => [name, { ComparisonOperator: operator === "AND" ? "NOT_NULL" : "NULL" }]),
  );
  const condition = legacyConditions(given, operator, "filter");
  if (condition === undefined) throw new Error("no condition");
  expect(conditionPaths(condition).map(([name]) => name)).toEqual(names);
  const all = Object.fromEntries(names.map((name) => [name, { S: "" }]));
  const { a19999: _, ...others } = all;
  expect([all, others].map((item) => evaluate(condition, item))).toEqual(
    operator === "AND" ? [true, false] : [false, true],
  );
});
