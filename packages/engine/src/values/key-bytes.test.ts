import { canonicalNumber } from "@tablekeep/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { delimit, keyBytes } from "./key-bytes.ts";

const order = (one: string, two: string) => (one < two ? -1 : Number(one > two));
/** Bytes, with a high share of those that are escaped and of their neighbors. */
const bytes = fc.array(fc.oneof(fc.constantFrom(0, 1, 254, 255), fc.integer({ min: 0, max: 255 })), {
  maxLength: 6,
});
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({
    unit: fc.constantFrom("a", "\0", "\x7f", "\x80", "ÿ", "\u07ff", "\u0800", "\uffff", "𐀀", "🂡"),
    maxLength: 5,
  }),
);
/** A number in normal form, and the same as a multiple of 10^-130. Small and equal exponents are frequent. */
const number = fc
  .record({
    digits: fc.oneof(
      fc.bigInt({ min: -1100n, max: 1100n }),
      fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
    ),
    exponent: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -130, max: 87 })),
  })
  .map(({ digits, exponent }) => ({
    text: canonicalNumber(`${digits}E${exponent}`),
    units: digits * 10n ** BigInt(exponent + 130),
  }));
const latin1 = (values: readonly number[]) => String.fromCharCode(...values);

describe("key bytes", () => {
  test("of strings are ordered by UTF-8", () => {
    fc.assert(
      fc.property(text, text, (one, two) => {
        const expected = Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(two)));
        expect(order(keyBytes("S", one), keyBytes("S", two))).toBe(expected);
        expect(Buffer.from(keyBytes("S", one), "latin1").equals(Buffer.from(one))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test("of numbers are ordered by value, and none is a prefix of another", () => {
    fc.assert(
      fc.property(number, number, (one, two) => {
        const [a, b] = [keyBytes("N", one.text), keyBytes("N", two.text)];
        expect(order(a, b)).toBe(one.units < two.units ? -1 : Number(one.units > two.units));
        if (a !== b) expect(b.startsWith(a)).toBe(false);
        expect(a).toBe(Buffer.from(a, "latin1").toString("latin1"));
      }),
      { numRuns: 3000 },
    );
  });

  test.each([
    ["0", "80"],
    ["1", "81820b00"],
    ["10", "81830b00"],
    ["-1", "7f7df4ff"],
    ["12.5", "81830d3300"],
    ["-0.001", "7f80f4ff"],
    ["123456789", "818a0d23394f5b00"],
    [`-${"9".repeat(38)}`, `7f58${"9b".repeat(19)}ff`],
  ])("of the number %s are those in existing folders", (text, stored) => {
    expect(Buffer.from(keyBytes("N", text), "latin1").toString("hex")).toBe(stored);
  });

  test("of binaries are the same bytes", () => {
    fc.assert(
      fc.property(bytes, bytes, (one, two) => {
        const keys = [one, two].map((each) => keyBytes("B", Buffer.from(each).toString("base64")));
        expect(keys).toEqual([latin1(one), latin1(two)]);
        expect(order(keys[0] ?? "", keys[1] ?? "")).toBe(
          Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(two))),
        );
      }),
    );
  });

  test("keep their order when delimited, whatever follows, and none is a prefix of another", () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, bytes, (one, two, afterOne, afterTwo) => {
        const [a, b] = [latin1(one), latin1(two)];
        if (a === b) return;
        expect(order(delimit(a) + latin1(afterOne), delimit(b) + latin1(afterTwo))).toBe(order(a, b));
        expect(delimit(b).startsWith(delimit(a))).toBe(false);
      }),
      { numRuns: 3000 },
    );
  });

  test("delimited for a prefix match every key with that prefix, and no other", () => {
    fc.assert(
      fc.property(bytes, bytes, (one, two) => {
        const prefix = delimit(latin1(one)).slice(0, -2);
        const isPrefix = latin1(two).startsWith(latin1(one));
        expect(delimit(latin1(two)).startsWith(prefix)).toBe(isPrefix);
      }),
      { numRuns: 2000 },
    );
  });
});
