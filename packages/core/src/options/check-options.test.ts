import { describe, expect, test } from "vitest";
import { checkOptions, type OptionChecks } from "./check-options.ts";
import { optionCheck } from "./option-check.ts";

interface Options {
  readonly name?: string;
  readonly maxCount?: number;
  readonly quiet?: boolean;
}

const checks: OptionChecks<Options> = {
  name: optionCheck.text,
  maxCount: optionCheck.wholeNumber(1),
  quiet: optionCheck.flag,
};

class Refused extends Error {}

function reasonOf(given: unknown, within?: string): string {
  try {
    checkOptions<Options>(given, checks, (option, reason) => new Refused(`${option} ${reason}`), within);
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
  return "fine";
}

describe("checkOptions", () => {
  test("lets good options pass, and those that are undefined", () => {
    expect(reasonOf({ name: "x", maxCount: 3, quiet: false })).toBe("fine");
    expect(reasonOf({ name: undefined })).toBe("fine");
    expect(reasonOf({})).toBe("fine");
  });

  test("refuses an unknown option and tells which one was meant, or all there are", () => {
    expect(reasonOf({ maxCounts: 3 })).toBe("maxCounts does not exist: did you mean maxCount?");
    expect(reasonOf({ max_count: 3 })).toContain("did you mean maxCount?");
    expect(reasonOf({ colour: 1 })).toBe("colour does not exist: known are name, maxCount, quiet");
    expect(reasonOf({ 0: 1 })).toContain("known are name, maxCount, quiet");
    expect(reasonOf({ toString: 1 })).toContain("does not exist");
    expect(reasonOf(JSON.parse('{"__proto__": 1}'))).toContain("does not exist");
  });

  test("refuses a value that does not fit, and says what would", () => {
    expect(reasonOf({ name: "" })).toBe("name must be a text that is not empty");
    expect(reasonOf({ maxCount: 0 })).toBe("maxCount must be a whole number from 1 up");
  });

  test.each([null, "x", 5, []])("refuses %s in place of options", (given) => {
    expect(reasonOf(given)).toBe("options must be an object");
  });

  test("names options that another holds with its name before them", () => {
    expect(reasonOf({ quiet: 1 }, "log")).toBe("log.quiet must be true or false");
    expect(reasonOf({ colour: 1 }, "log")).toContain("log.colour does not exist");
    expect(reasonOf(null, "log")).toBe("log must be an object");
  });
});
