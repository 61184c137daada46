import { describe, expect, test } from "vitest";
import { compareLines } from "../../console/json/compare-lines.ts";
import { diffLines } from "../../console/json/diff-lines.ts";
import { mergePatch } from "../../console/json/exact-json.ts";
import { bytesOfBase64, hexDump } from "../../console/json/hex-dump.ts";
import { jsonTokens } from "../../console/json/json-tokens.ts";
import { shortJson } from "../../console/json/short-json.ts";

const diff = (before: unknown, after: unknown) =>
  diffLines(before, after).map(({ sign, text }) => `${sign}${text}`);

describe("a diff of two documents", () => {
  test.each([
    ["of equal ones has no sign", { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, [" { … }"]],
    [
      "whatever the order of members",
      { a: 1, b: 2 },
      { b: 2, a: 1 },
      [" {", '   "b": 2,', '   "a": 1', " }"],
    ],
    ["of a changed value has both", { a: 1 }, { a: 2 }, [" {", '-  "a": 1,', '+  "a": 2,', " }"]],
    [
      "of a member that came or went",
      { a: 1, c: 3 },
      { b: 2, c: 3 },
      [" {", '-  "a": 1,', '+  "b": 2,', '   "c": 3,', " }"],
    ],
    [
      "of one kind of value to another",
      { a: [1] },
      { a: "1" },
      [" {", '-  "a": [', "-    1", "-  ],", '+  "a": "1",', " }"],
    ],
    [
      "of lists finds what came between",
      [1, 2, 3],
      [1, 9, 2, 3],
      [" [", "   1,", "+  9,", "   2,", "   3,", " ]"],
    ],
    [
      "of lists compares elements by position",
      [{ a: 1, b: 1 }],
      [{ a: 2, b: 1 }],
      [" [", "   {", '-    "a": 1,', '+    "a": 2,', '     "b": 1,', "   },", " ]"],
    ],
    ["of plain values", 1, "x", ["-1", '+"x"']],
    ["of null to something", null, { a: 1 }, ["-null", "+{", '+  "a": 1', "+}"]],
    [
      "keeps names that mean something in JavaScript",
      JSON.parse('{"__proto__":1}'),
      JSON.parse('{"__proto__":2}'),
      [" {", '-  "__proto__": 1,', '+  "__proto__": 2,', " }"],
    ],
  ])("%s", (_, before, after, expected) => {
    expect(diff(before, after)).toEqual(expected);
  });

  test("folds what is long and did not change", () => {
    const long = { list: Array.from({ length: 50 }, (_, at) => at) };
    expect(diff({ long, n: 1 }, { long, n: 2 })).toEqual([
      " {",
      '   "long": { … },',
      '-  "n": 1,',
      '+  "n": 2,',
      " }",
    ]);
  });

  test("of very long lists goes place by place, and ends soon", () => {
    const before = Array.from({ length: 5_000 }, (_, at) => at);
    const changed = diff(before, before.with(4_000, -1)).filter((line) => !line.startsWith(" "));
    expect(changed).toEqual(["-  4000,", "+  -1,"]);
  });
});

test("halves of a shadow are compared value by value", () => {
  const lines = compareLines(
    { on: true, color: { r: 1, g: 2 }, mode: [1], extra: {} },
    { on: true, color: { r: 1, g: 0 }, mode: [2] },
  );
  expect(lines.map(({ match, text }) => [match, text])).toEqual([
    [undefined, "{"],
    ["same", '  "on": true,'],
    [undefined, '  "color": {'],
    ["same", '    "r": 1,'],
    ["other", '    "g": 2'],
    [undefined, "  },"],
    ["other", '  "mode": ['],
    ["other", "    1"],
    ["other", "  ],"],
    ["alone", '  "extra": {}'],
    [undefined, "}"],
  ]);
});

describe("a merge patch", () => {
  test.each([
    ["has what changed", { a: 1, b: { c: 1, d: 1 } }, { a: 1, b: { c: 2, d: 1 } }, { b: { c: 2 } }],
    ["removes by null", { a: 1, b: { c: 1, d: 1 } }, { b: { d: 1 } }, { a: null, b: { c: null } }],
    ["replaces lists as a whole", { a: [1, 2] }, { a: [1, 3] }, { a: [1, 3] }],
    ["replaces a value by a map", { a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    ["of nothing is empty", { a: { b: [1] } }, { a: { b: [1] } }, {}],
  ])("%s", (_, before, after, patch) => {
    expect(mergePatch(before, after)).toEqual(patch);
  });
});

test("printed JSON is cut into pieces that are the text again", () => {
  const text = JSON.stringify({ 'a "b": \\': [1, -2.5e-7, true, null, "<b>é\n"], true: {} }, undefined, 2);
  const tokens = jsonTokens(text);
  expect(tokens.map((token) => token.text).join("")).toBe(text);
  expect(tokens.filter(({ kind }) => kind === "number").map((token) => token.text)).toEqual(["1", "-2.5e-7"]);
  expect(tokens.filter(({ kind }) => kind === "name")).toHaveLength(2);
  expect(tokens.filter(({ kind }) => kind === "word").map((token) => token.text)).toEqual(["true", "null"]);
});

describe("the beginning of a document", () => {
  const value = { a: [1, "two", null, true], b: { c: {}, d: [] }, 'e"': 'x"y' };

  test("is the whole where it is short", () => {
    expect(shortJson(value, 1_000)).toBe(JSON.stringify(value));
    expect(shortJson("text", 1_000)).toBe('"text"');
  });

  test("is cut where it is long", () => {
    for (let most = 1; most < JSON.stringify(value).length; most++)
      expect(shortJson(value, most)).toBe(`${JSON.stringify(value).slice(0, most)}…`);
  });

  test("reads no more than it shows", () => {
    let reads = 0;
    const endless = Array.from({ length: 100_000 }, (_, at) => at);
    shortJson(endless, 20, (each) => {
      reads++;
      return each;
    });
    expect(reads).toBeLessThan(20);
  });
});

test("bytes are shown in hex and as text", () => {
  const bytes = Uint8Array.from({ length: 18 }, (_, at) => at + 0x38);
  expect(hexDump(bytes)).toBe(
    "000000  38 39 3a 3b 3c 3d 3e 3f 40 41 42 43 44 45 46 47  89:;<=>?@ABCDEFG\n" +
      `000010  48 49${" ".repeat(42)}  HI`,
  );
  expect(hexDump(bytesOfBase64("AP8="))).toContain("00 ff");
  expect(bytesOfBase64("no base64!")).toEqual(new Uint8Array());
});
