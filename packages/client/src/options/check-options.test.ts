import { describe, expect, test } from "vitest";
import { checkOptions, type OptionChecks } from "./check-options.ts";
import { flag, serverUrl, text, wholeNumber } from "./option-checks.ts";

interface Options {
  readonly name?: string;
  readonly maxCount?: number;
  readonly quiet?: boolean;
}

const checks: OptionChecks<Options> = { name: text, maxCount: wholeNumber(1), quiet: flag };

const reasonOf = (given: object): string => {
  try {
    checkOptions(given as Options, checks);
  } catch (error) {
    const { code, details } = error as { code: string; details: { option: string; reason: string } };
    return `${code}: ${details.option} ${details.reason}`;
  }
  return "fine";
};

describe("checkOptions", () => {
  test("lets good options pass, and those that are undefined", () => {
    expect(reasonOf({ name: "x", maxCount: 3, quiet: false })).toBe("fine");
    expect(reasonOf({ name: undefined })).toBe("fine");
    expect(reasonOf({})).toBe("fine");
  });

  test("refuses an unknown option and tells which one was meant, or all there are", () => {
    expect(reasonOf({ maxCounts: 3 })).toBe(
      "CLIENT_OPTION_INVALID: maxCounts does not exist: did you mean maxCount?",
    );
    expect(reasonOf({ max_count: 3 })).toContain("did you mean maxCount?");
    expect(reasonOf({ colour: 1 })).toContain("known are name, maxCount, quiet");
    expect(reasonOf({ toString: 1 })).toContain("does not exist");
    expect(reasonOf(JSON.parse('{"__proto__": 1}') as object)).toContain("does not exist");
  });

  test("refuses a value that does not fit, and says what would", () => {
    expect(reasonOf({ name: "" })).toContain("must be a text that is not empty");
    expect(reasonOf({ maxCount: 0 })).toContain("must be a whole number from 1 up");
    expect(reasonOf({ maxCount: 1.5 })).toContain("must be a whole number");
    expect(reasonOf({ maxCount: "3" })).toContain("must be a whole number");
    expect(reasonOf({ quiet: "yes" })).toContain("must be true or false");
    expect(reasonOf(null as never)).toContain("must be an object");
    expect(reasonOf("x" as never)).toContain("must be an object");
  });
});

describe("serverUrl", () => {
  const check = serverUrl({ credentials: false });
  test.each(["http://127.0.0.1:8000", "https://host/path"])("%s fits", (url) => {
    expect(check(url)).toBeUndefined();
  });
  test.each(["", "localhost:8000", "ftp://host", "http://h?x=1", "http://h#x", "http://user@h", 5])(
    "%s does not",
    (url) => {
      expect(check(url)).toMatch(/^must/);
    },
  );
});
