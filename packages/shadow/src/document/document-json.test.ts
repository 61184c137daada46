import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromAttribute, toAttribute } from "./document-attributes.ts";
import { type DocumentValue, isSameValue } from "./document-value.ts";
import { ExactNumber, numberOf } from "./exact-number.ts";
import { parseJson, printJson } from "./json.ts";

describe("numbers", () => {
  test.each([
    ["1", 1],
    ["-0", 0],
    ["1.0", 1],
    ["0.1", 0.1],
    ["1e3", 1000],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["-9223372036854775808", -9223372036854775808n],
    ["18446744073709551615", 18446744073709551615n],
    ["1.5e125", 1.5e125],
    ["2.5e-120", 2.5e-120],
    ["0.3333333333333333", 0.3333333333333333],
  ])("%s is read without loss", (text, value) => {
    expect(numberOf(text)).toBe(value);
  });

  test("digits that no JavaScript number holds are kept", () => {
    const number = numberOf("12345678901234567890.123");
    expect(number).toBeInstanceOf(ExactNumber);
    expect(printJson(number)).toBe("12345678901234567890.123");
    expect(toAttribute(number)).toEqual({ N: "12345678901234567890.123" });
    expect(isSameValue(number, numberOf("12345678901234567890.1230"))).toBe(true);
    expect(isSameValue(5n, 5)).toBe(true);
    expect(isSameValue(9007199254740993n, 9007199254740992)).toBe(false);
  });

  test.each([["1e126"], ["1e-131"], ["123456789012345678901234567890123456789"]])(
    "%s is rejected",
    (text) => {
      expect(() => toAttribute({ a: [numberOf(text)] })).toThrow(
        expect.objectContaining({
          code: "SHADOW_VALUE_INVALID",
          details: expect.objectContaining({ path: "/a/0" }),
        }),
      );
    },
  );
});

test("rejects values that cannot be stored, with their path", () => {
  for (const value of [
    { a: Number.NaN },
    { a: { "": 1 } },
    { a: "\ud83d" },
    { a: ["\ude00\ud83d"] },
    { "\udc00": 1 },
    { a: () => 1 },
    { a: new Set() },
    { a: new Set([1, "b"]) },
  ])
    expect(() => toAttribute(value as never)).toThrow(
      expect.objectContaining({ code: "SHADOW_VALUE_INVALID" }),
    );
  expect(toAttribute({ "\ud83d\ude00": "\ud83d\ude00" })).toEqual({ M: { "😀": { S: "😀" } } });
});

const json = fc.jsonValue() as fc.Arbitrary<DocumentValue>;

test("any JSON is read as JSON.parse reads it, fast or slow, and printed as JSON.stringify prints it", () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)));
      // A long number at the end makes the reader take the slow way.
      const [slow, long] = parseJson(`[${text},12345678901234567890]`) as [DocumentValue, DocumentValue];
      expect(printJson(slow)).toBe(printJson(parseJson(text)));
      expect(long).toBe(12345678901234567890n);
      expect(JSON.parse(printJson(parseJson(text)))).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))));
    }),
    { numRuns: 300 },
  );
});

test("a number is the same as the whole number that it is written as, and as no other", () => {
  expect(isSameValue(2384185791015625000000000000000n, 2384185791015625e15)).toBe(true);
  expect(isSameValue(1e21, 1000000000000000000000n)).toBe(true);
  // It prints as 1180591620717411300000.
  expect(isSameValue(2 ** 70, 2n ** 70n)).toBe(false);
  expect(isSameValue(5, 5n)).toBe(true);
});

test("values survive a round trip through attributes", () => {
  const storable = fc.letrec<{ value: DocumentValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constant(null),
      fc.boolean(),
      fc.string(),
      fc.integer(),
      fc.bigInt({ min: -(10n ** 37n), max: 10n ** 37n }),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.string({ minLength: 1 }), tie("value"), { maxKeys: 3 }),
    ),
  })).value;
  fc.assert(
    fc.property(storable, (value) => {
      expect(isSameValue(fromAttribute(toAttribute(value)), value)).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test.each([
  "",
  "{",
  "[1,]",
  '{"a"}',
  '{"a":1,}',
  "nul",
  '"\u0001"',
  "01",
  "1 2",
  "[12345678901234567890",
  '{"a":12345678901234567890,}',
  "[01234567890123456789]",
  "12345678901234567890 x",
])("%j is not JSON", (text) => {
  expect(() => parseJson(text)).toThrow(
    expect.objectContaining({ code: "SHADOW_REQUEST_INVALID", message: "Invalid JSON" }),
  );
});
