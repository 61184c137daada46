import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { itemId, keyOf, keyText } from "./key-names.ts";

describe("keyText", () => {
  test("is the same whatever the order of the attributes and the way numbers are written", () => {
    const texts = ["1", "1.0", "+1", "01", "10e-1", "0.1E1", "100E-2"].map((N) =>
      keyText({ sk: { N }, pk: { S: "a" } }),
    );
    expect(new Set(texts)).toEqual(new Set([keyText({ pk: { S: "a" }, sk: { N: "1" } })]));
    expect(keyText({ pk: { N: "-0" } })).toBe(keyText({ pk: { N: "0.00" } }));
  });

  test("differs between numbers that differ, and between types", () => {
    const different = [
      { N: "1" },
      { N: "-1" },
      { N: "10" },
      { N: "0.1" },
      { N: "12345678901234567890123456789012345678" },
      { N: "12345678901234567890123456789012345679" },
      { S: "1" },
      { B: Buffer.from("1") },
    ].map((value) => keyText({ pk: value as never }));
    expect(new Set(different).size).toBe(different.length);
  });

  test("no two keys of strings share one", () => {
    const key = fc.record({ pk: fc.string(), sk: fc.string() });
    fc.assert(
      fc.property(key, key, (one, other) => {
        const text = ({ pk, sk }: typeof one) => keyText({ pk: { S: pk }, sk: { S: sk } });
        expect(text(one) === text(other)).toBe(one.pk === other.pk && one.sk === other.sk);
      }),
    );
  });

  test("the same key in two tables is two items", () => {
    expect(itemId("a", { pk: { S: "1" } })).not.toBe(itemId("b", { pk: { S: "1" } }));
  });
});

test("keyOf returns the key attributes and omits missing ones", () => {
  const item = { pk: { S: "a" }, sk: { N: "1" }, more: { S: "x" } };
  expect(keyOf(item, ["pk", "sk"])).toEqual({ pk: { S: "a" }, sk: { N: "1" } });
  expect(keyOf(item, ["pk", undefined])).toEqual({ pk: { S: "a" } });
  expect(keyOf(item, ["other"])).toEqual({});
});
