import { describe, expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { silentLogger } from "./logger.ts";
import { checkPort, type OptionCheck, type OptionChecks, optionCheck, optionChecker } from "./options.ts";

interface Options {
  readonly name?: string;
  readonly maxCount?: number;
  readonly quiet?: boolean;
}

const checks: OptionChecks<Options> = {
  name: optionCheck.nonEmptyString,
  maxCount: optionCheck.integer(1),
  quiet: optionCheck.boolean,
};

class Rejected extends Error {}

function reasonOf(given: unknown, within?: string): string {
  try {
    optionChecker((option, reason) => new Rejected(`${option} ${reason}`))<Options>(given, checks, within);
  } catch (error) {
    if (error instanceof Rejected) return error.message;
    throw error;
  }
  return "fine";
}

describe("optionChecker", () => {
  test("accepts valid options and undefined ones", () => {
    expect(reasonOf({ name: "x", maxCount: 3, quiet: false })).toBe("fine");
    expect(reasonOf({ name: undefined })).toBe("fine");
    expect(reasonOf({})).toBe("fine");
  });

  test("rejects an unknown option and names the one that was meant, or all", () => {
    expect(reasonOf({ maxCounts: 3 })).toBe("maxCounts is unknown; did you mean maxCount?");
    expect(reasonOf({ max_count: 3 })).toContain("did you mean maxCount?");
    expect(reasonOf({ color: 1 })).toBe("color is unknown; expected one of name, maxCount, quiet");
    expect(reasonOf({ 0: 1 })).toContain("expected one of name, maxCount, quiet");
    expect(reasonOf({ toString: 1 })).toContain("is unknown");
    expect(reasonOf(JSON.parse('{"__proto__": 1}'))).toContain("is unknown");
  });

  test("rejects a value that does not fit, and shows it", () => {
    expect(reasonOf({ name: "" })).toBe("name must be a non-empty string, got an empty string");
    expect(reasonOf({ maxCount: 0 })).toBe("maxCount must be an integer of at least 1, got 0");
  });

  test.each([null, "x", 5, []])("rejects %s in place of options", (given) => {
    expect(reasonOf(given)).toMatch(/^options must be an object, got (null|a string|a number|an array)$/);
  });

  test("names nested options with a prefix", () => {
    expect(reasonOf({ quiet: 1 }, "log")).toBe("log.quiet must be true or false, got 1");
    expect(reasonOf({ color: 1 }, "log")).toContain("log.color is unknown");
    expect(reasonOf(null, "log")).toBe("log must be an object, got null");
  });
});

const cases: readonly (readonly [string, OptionCheck, readonly unknown[], readonly unknown[]])[] = [
  ["nonEmptyString", optionCheck.nonEmptyString, ["a"], ["", 1, null]],
  ["string", optionCheck.string, ["a", ""], [1, null]],
  ["id", optionCheck.id, ["a", "ü🙂"], ["", 1, null, "a\ud800", "\udc00b"]],
  ["boolean", optionCheck.boolean, [true, false], ["yes", 0, null]],
  ["milliseconds", optionCheck.milliseconds, [1, 0.5], [0, -1, Number.POSITIVE_INFINITY, Number.NaN, "1"]],
  ["millisecondsOrZero", optionCheck.millisecondsOrZero, [0, 1.5], [-1, Number.NaN, "1"]],
  ["callback", optionCheck.callback, [() => 1], [{}, "f"]],
  ["signal", optionCheck.signal, [new AbortController().signal], [{}, null]],
  ["clock", optionCheck.clock, [systemClock], [{}, { now: () => 1 }, null]],
  ["logger", optionCheck.logger, [silentLogger, console], [{}, null]],
  ["anything", optionCheck.anything, [1, null, {}], []],
  ["integer", optionCheck.integer(2), [2, 2 ** 40], [1, 2.5, "2", Number.NaN, 2 ** 53]],
  ["integer to a limit", optionCheck.integer(0, 3), [0, 3], [-1, 4]],
  [
    "upperBound",
    optionCheck.upperBound,
    [0, 5, Number.POSITIVE_INFINITY],
    [-1, 2.5, Number.NaN, 2 ** 53, "1"],
  ],
  ["oneOf", optionCheck.oneOf("a", "b"), ["a", "b"], ["c", "", 1]],
  ["objectWith", optionCheck.objectWith("go"), [{ go() {} }], [{ go: 1 }, {}, null, "go"]],
  ["objectOfStrings", optionCheck.objectOfStrings("id"), [{ id: "x" }], [{ id: "" }, { id: 1 }, {}, null]],
  ["arrayOf", optionCheck.arrayOf(optionCheck.nonEmptyString), [[], ["a", "b"]], [["a", 1], "a", null]],
];

describe.each(cases)("%s", (_name, check, fitting, unfit) => {
  test("accepts values that fit", () => {
    expect(fitting.map(check)).toEqual(fitting.map(() => undefined));
  });

  test("names what is expected instead", () => {
    for (const value of unfit) expect(check(value)).toMatch(/^(must be|has an invalid element at) \w/);
  });
});

test("a reason names the range and the value", () => {
  expect(optionCheck.integer(1)(0)).toBe("must be an integer of at least 1, got 0");
  expect(optionCheck.integer(0, 65535)("80a")).toBe('must be an integer from 0 to 65535, got "80a"');
});

test("a reason shows no string that may be a secret", () => {
  const secret = "wJalrXUtnFEMI";
  const checks = [optionCheck.callback, optionCheck.logger, optionCheck.objectOfStrings("id")];
  for (const check of checks) expect(check(secret)).toMatch(/, got a string$/);
});

test("a reason names the wrong element of an array", () => {
  expect(optionCheck.arrayOf(optionCheck.boolean)([true, 1])).toBe(
    "has an invalid element at index 1: it must be true or false, got 1",
  );
});

test("objectWith without methods accepts any object, and nothing else", () => {
  const check = optionCheck.objectWith();
  expect(check({})).toBeUndefined();
  for (const given of ["x", 5, null, []]) expect(check(given)).toMatch(/^must be an object, got /);
});

test("a check by a function shows the rejected value", () => {
  const even = optionCheck.fitting("an even number", (value) => typeof value === "number" && value % 2 === 0);
  expect(even(4)).toBeUndefined();
  expect([even(3), even("x")]).toEqual(["must be an even number, got 3", 'must be an even number, got "x"']);
});

describe("checkPort", () => {
  const check = (given: unknown, name?: string) => () =>
    checkPort(given, (option, reason) => new Rejected(`${option} ${reason}`), name);

  test("accepts an object with DynamoDB's operations", () => {
    const operation = () => {};
    const port = { getItem: operation, putItem: operation, query: operation, transactWriteItems: operation };
    expect(check(port)).not.toThrow();
  });

  test("rejects everything else, and says what it got", () => {
    expect(check(undefined)).toThrow(
      "port must be a DynamoPort, as connect and openEngine return, got undefined",
    );
    expect(check(Promise.resolve({}))).toThrow("got a Promise");
    expect(check({ getItem: 1 }, "from.port")).toThrow(/^from\.port must be a DynamoPort/);
  });
});
