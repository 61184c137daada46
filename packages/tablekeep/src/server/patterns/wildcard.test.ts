import { describe, expect, test } from "vitest";
import { addressPatterns, wildcard } from "./wildcard.ts";

describe("a pattern", () => {
  test.each([
    ["bounce@*", "Bounce@Example.org", true],
    ["bounce@*", "abounce@example.org", false],
    ["*+full@example.com", "ann+full@example.com", true],
    ["*+full@example.com", "ann+full@example.com.evil", false],
    ["a*b*c", "aXbYbZc", true],
    ["a*b*c", "acb", false],
    ["a*a", "a", false],
    ["*", "", true],
    ["", "", true],
    ["", "a", false],
    ["a.c@x", "abc@x", false],
  ])("%s and %s: %s", (pattern, text, expected) => {
    expect(wildcard(pattern, { ignoreCase: true })(text)).toBe(expected);
  });

  test("distinguishes cases unless told otherwise", () => {
    expect(wildcard("lamp-*")("Lamp-1")).toBe(false);
    expect(wildcard("lamp-*")("lamp-1\n")).toBe(true);
  });

  test("agrees with a regular expression, and needs no exponential time", () => {
    const texts = ["", "a", "b", "ab", "ba", "aab", "abab", "bbaab"];
    const patterns = ["*", "a*", "*b", "a*b", "**", "*a*", "a*a*b", "ab"];
    for (const pattern of patterns)
      for (const text of texts)
        expect([pattern, text, wildcard(pattern)(text)]).toEqual([
          pattern,
          text,
          new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(text),
        ]);
    expect(wildcard(`${"*a".repeat(30)}b`)("a".repeat(500))).toBe(false);
    expect(wildcard(`${"a*".repeat(200)}b`)("a".repeat(100_000))).toBe(false);
  });

  test("may be one of a list", () => {
    const matches = addressPatterns("*@one.example, *@TWO.example");
    expect(["a@one.example", "a@two.example", "a@three.example"].map(matches)).toEqual([true, true, false]);
  });
});
