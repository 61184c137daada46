import type { AttributeValue, Item } from "@tablekeep/core";
import fc from "fast-check";
import { mostly } from "./sometimes.ts";

/** Small pools, so that equal values are frequent. Some strings differ in UTF-16 order and in bytes; some are empty. */
const texts: fc.Arbitrary<string> = fc.constantFrom("a", "ab", "b", "B", "", "é", "\u{1f600}", "\uffee", "1");
export const numbers: fc.Arbitrary<string> = fc.constantFrom(
  "1",
  "2",
  "1.0",
  "-1",
  "0",
  "-0",
  "10",
  "1E1",
  "2.50",
  "0.1",
  "-2.5",
  "1e-130",
  "9.9e125",
  "007",
  "12345678901234567890123456789012345678",
  "0.00000000000000000000000000000000000001",
  "5e20",
);
const oddNumbers = fc.constantFrom(
  "dog",
  "",
  "1e126",
  "1e-131",
  "123456789012345678901234567890123456789",
  " 1",
  "0x1",
  "Infinity",
  "+1",
  ".5",
  "1.",
);
const bytes: fc.Arbitrary<Uint8Array> = fc
  .constantFrom([1], [1, 2], [255], [0], [], [1, 255], [128])
  .map((content) => Uint8Array.from(content));

const distinct = { minLength: 1, maxLength: 3 } as const;

const scalars: readonly fc.Arbitrary<AttributeValue>[] = [
  texts.map((S) => ({ S })),
  numbers.map((N) => ({ N })),
  bytes.map((B) => ({ B })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant({ NULL: true }),
];

export const textSet: fc.Arbitrary<AttributeValue> = fc.uniqueArray(texts, distinct).map((SS) => ({ SS }));
export const numberSet: fc.Arbitrary<AttributeValue> = fc
  .uniqueArray(fc.constantFrom("1", "2", "3", "-1", "0.5", "10"), distinct)
  .map((NS) => ({ NS }));
export const byteSet: fc.Arbitrary<AttributeValue> = fc
  .uniqueArray(bytes, { ...distinct, selector: String })
  .map((BS) => ({ BS }));

/** Values of any type, nested at most this deeply. */
export function anyValue(depth = 2): fc.Arbitrary<AttributeValue> {
  const flat = fc.oneof(...scalars, textSet, numberSet, byteSet);
  if (depth === 0) return flat;
  const inner = anyValue(depth - 1);
  return fc.oneof(
    { weight: 6, arbitrary: flat },
    { weight: 1, arbitrary: fc.array(inner, { maxLength: 3 }).map((L) => ({ L })) },
    {
      weight: 1,
      arbitrary: fc
        .dictionary(fc.constantFrom("a", "b", "e", "x"), inner, { maxKeys: 3 })
        .map((M) => ({ M })),
    },
  );
}

/** Values that DynamoDB rejects in any place. */
export const rejectedValue: fc.Arbitrary<AttributeValue> = fc.oneof(
  oddNumbers.map((N) => ({ N })),
  fc.constantFrom<AttributeValue[]>(
    { SS: [] },
    { NS: [] },
    { BS: [] },
    { SS: ["a", "a"] },
    { NS: ["1", "1.0"] },
    { NULL: false },
    {} as AttributeValue,
    { S: "a", N: "1" } as unknown as AttributeValue,
    { L: [{ SS: [] }] },
    { M: { a: {} as AttributeValue } },
  ),
);

const number: fc.Arbitrary<AttributeValue> = numbers.map((N) => ({ N }));
const text: fc.Arbitrary<AttributeValue> = texts.map((S) => ({ S }));
const list: fc.Arbitrary<AttributeValue> = fc.array(anyValue(1), { maxLength: 4 }).map((L) => ({ L }));
const map: fc.Arbitrary<AttributeValue> = fc
  .record({ a: number, b: text, e: list, x: anyValue(1) }, { requiredKeys: [] })
  .map((M) => ({ M: M as Item }));

/** The usual values of an attribute of this name, so that expressions on it mostly match. */
const usual: Readonly<Record<string, fc.Arbitrary<AttributeValue>>> = {
  a: number,
  b: text,
  m: map,
  e: list,
  s: textSet,
  t: numberSet,
  name: text,
  g: fc.constantFrom("a", "ab", "b").map((S) => ({ S })),
  l: fc.constantFrom("a", "ab", "b").map((S) => ({ S })),
  h: fc.constantFrom("1", "-5", "0").map((N) => ({ N })),
  q: fc.constantFrom([1], [1, 2]).map((each) => ({ B: Uint8Array.from(each) })),
};

/** A value for this attribute: mostly of its usual type. */
export function valueFor(attribute: string): fc.Arbitrary<AttributeValue> {
  const fitting = usual[attribute];
  return fitting === undefined ? anyValue() : mostly(fitting, anyValue());
}

/** Attributes beside the keys. */
export const attributes: fc.Arbitrary<Item> = fc
  .record(
    Object.fromEntries(["a", "b", "c", "e", "m", "name", "s", "t"].map((name) => [name, valueFor(name)])),
    {
      requiredKeys: [],
    },
  )
  .map((item) => item as Item);
