import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addNumbers, canonicalNumber, compareNumbers, normalizeNumber, subtractNumbers } from "./decimal.ts";

/** The model: a whole number of units of 10^-500, which every number in these tests is. */
const scale = 500n;

function unitsOf(sign: string, whole: string, fraction: string, exponent: number): bigint {
  const digits = BigInt(`${whole}${fraction}` || "0");
  const units = digits * 10n ** (scale + BigInt(exponent) - BigInt(fraction.length));
  return sign === "-" ? -units : units;
}

/** The plain decimal form by long division, or why DynamoDB does not store it. Zero counts by the exponent it is written with. */
function modelForm(units: bigint, exponent = 0): string {
  if (units === 0n) return exponent > 125 ? "overflow" : exponent < -130 ? "underflow" : "0";
  const magnitude = units < 0n ? -units : units;
  const one = 10n ** scale;
  if (magnitude >= 10n ** 126n * one) return "overflow";
  if (magnitude < 10n ** (scale - 130n)) return "underflow";
  if (magnitude.toString().replace(/0+$/, "").length > 38) return "too-many-digits";
  const fraction = (magnitude % one).toString().padStart(Number(scale), "0").replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${magnitude / one}${fraction === "" ? "" : `.${fraction}`}`;
}

const outcome = (result: { text: string } | { fault: string }) =>
  "text" in result ? result.text : result.fault;

const digits = (maxLength: number) =>
  fc.string({ unit: fc.constantFrom(..."0001234567899".split("")), maxLength }) as fc.Arbitrary<string>;

/** A number as a string, with its model. */
const written = fc
  .record({
    sign: fc.constantFrom("", "-", "+"),
    whole: digits(22),
    fraction: fc.oneof(fc.constant(undefined), digits(22)),
    exponent: fc.oneof(fc.constant(undefined), fc.integer({ min: -160, max: 160 })),
    mark: fc.constantFrom("e", "E", "e+"),
  })
  .filter(({ whole, fraction }) => whole !== "" || (fraction ?? "") !== "")
  .map(({ sign, whole, fraction, exponent, mark }) => {
    const tail = exponent === undefined ? "" : `${exponent < 0 ? mark.charAt(0) : mark}${exponent}`;
    return {
      text: `${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}${tail}`,
      units: unitsOf(sign, whole, fraction ?? "", exponent ?? 0),
      exponent: exponent ?? 0,
    };
  });

/** A number that DynamoDB stores; close ones are more likely than by chance. */
const stored = fc
  .oneof(
    written,
    fc.integer({ min: -1100, max: 1100 }).map((n) => ({ text: String(n), units: BigInt(n) * 10n ** scale })),
    fc.tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -130, max: 120 })).map(([n, exponent]) => ({
      text: `${n}E${exponent}`,
      units: unitsOf(n < 0 ? "-" : "", String(Math.abs(n)), "", exponent),
    })),
  )
  .map(({ units }) => ({ text: modelForm(units), units }))
  .filter(({ text }) => /^[-0-9]/.test(text));

describe("numbers", () => {
  test("have one normal form, or the fault that DynamoDB reports", () => {
    fc.assert(
      fc.property(written, ({ text, units, exponent }) => {
        expect(outcome(normalizeNumber(text))).toBe(modelForm(units, exponent));
      }),
      { numRuns: 3000 },
    );
  });

  test("reject strings that are not numbers", () => {
    const texts = [
      "",
      " ",
      "+",
      "-",
      ".",
      "e5",
      "1e",
      "1e+",
      "0x1",
      "1_0",
      "NaN",
      "Infinity",
      " 1",
      "1 ",
      "1,5",
      "--1",
    ];
    for (const text of texts) expect(outcome(normalizeNumber(text))).toBe("not-a-number");
  });

  test("with exponents beyond 64 bits are not numbers; with smaller ones they are too large or too small", () => {
    const faults = ["1e9223372036854775808", "0e-9223372036854775809", `1e${"9".repeat(500)}`].map((text) =>
      outcome(normalizeNumber(text)),
    );
    expect(faults).toEqual(["not-a-number", "not-a-number", "not-a-number"]);
    expect(outcome(normalizeNumber("1e9223372036854775807"))).toBe("overflow");
    expect(outcome(normalizeNumber("1e-99999999999"))).toBe("underflow");
    expect(outcome(normalizeNumber("1e+00000000000000000000002"))).toBe("100");
  });

  test("with millions of digits are parsed in linear time", () => {
    for (const text of [
      "0".repeat(4_000_000),
      `1${"0".repeat(4_000_000)}1`,
      `0.${"0".repeat(4_000_000)}1`,
      `1e${"9".repeat(500)}`,
    ]) {
      normalizeNumber(text);
    }
  });

  test("compare by value", () => {
    fc.assert(
      fc.property(stored, stored, (one, two) => {
        const expected = one.units < two.units ? -1 : Number(one.units > two.units);
        expect(Math.sign(compareNumbers(one.text, two.text))).toBe(expected);
      }),
      { numRuns: 3000 },
    );
  });

  test("add and subtract exactly, or report the fault of the exact result", () => {
    fc.assert(
      fc.property(stored, stored, (one, two) => {
        expect(outcome(addNumbers(one.text, two.text))).toBe(modelForm(one.units + two.units));
        expect(outcome(subtractNumbers(one.text, two.text))).toBe(modelForm(one.units - two.units));
      }),
      { numRuns: 3000 },
    );
  });

  test("have one canonical form for all ways to write them", () => {
    expect(["1", "1.0", "10e-1", "+1", " 1 "].map(canonicalNumber)).toEqual(["1", "1", "1", "1", "1"]);
    expect(["-0", "0.00", "0e5"].map(canonicalNumber)).toEqual(["0", "0", "0"]);
    expect(["", "one", "1e999"].map(canonicalNumber)).toEqual(["", "one", "1e999"]);
  });
});
