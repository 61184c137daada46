import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AttributeValue, Item } from "./attribute-value.ts";
import { attributeSize, fitsItem, itemSize } from "./item-size.ts";

/** The pairs of digits that a number touches, counted on its digits written out in full. */
function naiveNumberSize(negative: boolean, digits: string, exponent: number): number {
  const zeros = "0".repeat(200);
  const plain =
    exponent >= 0
      ? `${zeros}${digits}${"0".repeat(exponent)}.${zeros}`
      : `${zeros}${digits.slice(0, exponent)}.${`${"0".repeat(Math.max(0, -exponent - digits.length))}${digits.slice(exponent)}${zeros}`}`;
  const [whole = "", fraction = ""] = plain.split(".");
  const even = (text: string) => text.slice(text.length % 2);
  const pairs = [...even(whole).matchAll(/../g), ...fraction.slice(0, 200).matchAll(/../g)].map(
    ([pair]) => pair !== "00",
  );
  const first = pairs.indexOf(true);
  if (first < 0) return 1;
  return Math.min(21, 1 + pairs.lastIndexOf(true) - first + 1 + (negative ? 1 : 0));
}

describe("itemSize", () => {
  test("counts names and values in UTF-8", () => {
    expect(itemSize({})).toBe(0);
    expect(itemSize({ pk: { S: "abc" }, ünï: { S: "€😀" } })).toBe(2 + 3 + 5 + 7);
    expect(itemSize({ b: { B: new Uint8Array(10) }, t: { BOOL: false }, n: { NULL: true } })).toBe(15);
  });

  test("lists and maps have three bytes of overhead, and one for each element", () => {
    const size = (value: AttributeValue) => attributeSize(value);
    expect([size({ L: [] }), size({ M: {} })]).toEqual([3, 3]);
    expect(size({ L: [{ S: "a" }, { S: "bb" }] })).toBe(8);
    expect(size({ M: { ab: { S: "c" } } })).toBe(7);
    expect(size({ M: { a: { M: {} } } })).toBe(8);
  });

  test("sets are the sum of their elements", () => {
    expect(attributeSize({ SS: ["a", "bb"] })).toBe(3);
    expect(attributeSize({ NS: ["1", "22", "333"] })).toBe(7);
    expect(attributeSize({ BS: [new Uint8Array(3), new Uint8Array(2)] })).toBe(5);
  });

  test("a number's zeros at both ends do not count, its sign and its place on the decimal point do", () => {
    const sizes = (texts: string[]) => texts.map((N) => attributeSize({ N }));
    expect(sizes(["0", "-0", "0.00", "1", "-1", "12", "1.2", "123", "00012.500", "1e125"])).toEqual([
      1, 1, 1, 2, 3, 2, 3, 3, 3, 2,
    ]);
  });

  test("a number's size is that of a model which writes all digits out", () => {
    const number = fc.record({
      negative: fc.boolean(),
      digits: fc.stringMatching(/^[0-9]{1,38}$/),
      exponent: fc.integer({ min: -120, max: 80 }),
    });
    fc.assert(
      fc.property(number, ({ negative, digits, exponent }) => {
        const N = `${negative ? "-" : ""}${digits}e${exponent}`;
        expect(attributeSize({ N })).toBe(naiveNumberSize(negative, digits, exponent));
      }),
      { numRuns: 2000 },
    );
  });

  test("bytes may be base64, as on the wire", () => {
    expect(attributeSize({ B: Buffer.from("four").toString("base64") })).toBe(4);
    expect(itemSize({ b: { BS: ["YQ==", "YWI=", "YWJj"] } })).toBe(7);
  });

  test("a value with several tags counts the one that is set", () => {
    expect(attributeSize({ S: undefined, N: "12" } as unknown as AttributeValue)).toBe(2);
  });

  test("an item has the size of its parts", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }).map((S): AttributeValue => ({ S })),
      fc.uint8Array().map((B): AttributeValue => ({ B: new Uint8Array(B) })),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value), (item: Item) => {
        const parts = Object.entries(item).map(([name, each]) => itemSize({ [name]: each }));
        expect(itemSize(item)).toBe(parts.reduce((sum, part) => sum + part, 0));
        expect(attributeSize({ M: item })).toBe(3 + Object.keys(item).length + itemSize(item));
      }),
    );
  });

  test("an item of 409,600 bytes fits, one more does not", () => {
    const item = (bytes: number): Item => ({ pk: { S: "x".repeat(bytes - 2) } });
    expect([fitsItem(item(409_600)), fitsItem(item(409_601))]).toEqual([true, false]);
  });
});
