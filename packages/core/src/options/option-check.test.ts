import { describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { silentLogger } from "../logger.ts";
import type { OptionCheck } from "./check-options.ts";
import { optionCheck } from "./option-check.ts";

const cases: readonly (readonly [string, OptionCheck, readonly unknown[], readonly unknown[]])[] = [
  ["text", optionCheck.text, ["a"], ["", 1, null]],
  ["anyText", optionCheck.anyText, ["a", ""], [1, null]],
  ["id", optionCheck.id, ["a", "ü🙂"], ["", 1, null, "a\ud800", "\udc00b"]],
  ["flag", optionCheck.flag, [true, false], ["yes", 0, null]],
  ["milliseconds", optionCheck.milliseconds, [1, 0.5], [0, -1, Number.POSITIVE_INFINITY, Number.NaN, "1"]],
  ["millisecondsOrNone", optionCheck.millisecondsOrNone, [0, 1.5], [-1, Number.NaN, "1"]],
  ["callable", optionCheck.callable, [() => 1], [{}, "f"]],
  ["signal", optionCheck.signal, [new AbortController().signal], [{}, null]],
  ["clock", optionCheck.clock, [systemClock], [{}, { now: () => 1 }, null]],
  ["logger", optionCheck.logger, [silentLogger, console], [{}, null]],
  ["anything", optionCheck.anything, [1, null, {}], []],
  ["wholeNumber", optionCheck.wholeNumber(2), [2, 2 ** 40], [1, 2.5, "2", Number.NaN, 2 ** 53]],
  ["wholeNumber to a limit", optionCheck.wholeNumber(0, 3), [0, 3], [-1, 4]],
  [
    "upperBound",
    optionCheck.upperBound,
    [0, 5, Number.POSITIVE_INFINITY],
    [-1, 2.5, Number.NaN, 2 ** 53, "1"],
  ],
  ["choiceOf", optionCheck.choiceOf("a", "b"), ["a", "b"], ["c", "", 1]],
  ["objectWith", optionCheck.objectWith("go"), [{ go() {} }], [{ go: 1 }, {}, null, "go"]],
  ["objectOfTexts", optionCheck.objectOfTexts("id"), [{ id: "x" }], [{ id: "" }, { id: 1 }, {}, null]],
  ["listOf", optionCheck.listOf(optionCheck.text), [[], ["a", "b"]], [["a", 1], "a", null]],
];

describe.each(cases)("%s", (_name, check, fitting, unfit) => {
  test("takes what fits", () => {
    expect(fitting.map(check)).toEqual(fitting.map(() => undefined));
  });

  test("says what would fit instead of the rest", () => {
    for (const value of unfit) expect(check(value)).toMatch(/^must be \w/);
  });
});

test("the range of whole numbers is told", () => {
  expect(optionCheck.wholeNumber(1)(0)).toBe("must be a whole number from 1 up");
  expect(optionCheck.wholeNumber(1, 9)(0)).toBe("must be a whole number from 1 to 9");
});

test("what is wrong with an element of a list is told", () => {
  expect(optionCheck.listOf(optionCheck.flag)([true, 1])).toBe(
    "must be a list, each element of which must be true or false",
  );
});
