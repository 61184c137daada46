import type { AttributeValue, Item } from "@tablekeep/core";
import { l, m, n, pk, s, ss } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { conditionRow } from "../condition-cases.ts";
import type { PortCase } from "../port-case.ts";
import { updateRow } from "../update-cases.ts";

const source = "AWS docs: HowItWorks.NamingRulesDataTypes";
const withSuites = `${source}; public conformance suites`;

const allBytes = Uint8Array.from({ length: 256 }, (_, index) => index);

/** A value, by default a scalar, inside of `levels` maps. */
const inMaps = (levels: number, value: AttributeValue = s("x")): AttributeValue =>
  levels === 0 ? value : m({ a: inMaps(levels - 1, value) });
const inLists = (levels: number, value: AttributeValue = s("x")): AttributeValue =>
  levels === 0 ? value : l(inLists(levels - 1, value));

/** The name by which a prototype is reached: an own attribute here. */
const proto: Item = Object.fromEntries([["__proto__", m(Object.fromEntries([["__proto__", n(1)]]))]]);

const stored: readonly (readonly [what: string, attributes: Item])[] = [
  ["an empty string", { a: s("") }],
  ["empty bytes", { a: { B: new Uint8Array() } }],
  ["an empty list and an empty map", { a: l(), b: m({}) }],
  ["both booleans and null", { a: { BOOL: true }, b: { BOOL: false }, c: { NULL: true } }],
  ["every byte", { a: { B: allBytes } }],
  ["characters of one to four bytes", { a: s("añ€😀"), "ключ 😀": s("named") }],
  ["control characters and quotes", { a: s("\u0000\u0001\t\n\r\"\\'\u007f\u2028") }],
  ["white space at the ends of a string", { a: s("  x\n") }],
  ["a list of mixed types", { a: l(s(""), n(1), { BOOL: false }, { NULL: true }, l(), m({}), ss("a")) }],
  ["names that objects have", { constructor: s("a"), toString: s("b"), hasOwnProperty: n(1) }],
  ["names that objects have, in a map", { a: { M: { constructor: n(1), valueOf: m({}) } } }],
  ["names of digits", { "0": s("zero"), "1": s("one"), "-1": s("minus") }],
  ["a name of 255 characters", { ["n".repeat(255)]: s("long") }],
];

const deepest: readonly (readonly [what: string, attributes: Item])[] = [
  ["31 maps around a value", { a: inMaps(31) }],
  ["31 lists around a value", { a: inLists(31) }],
];

const tooDeep = "Nesting Levels have exceeded supported limits";

const rejected: readonly (readonly [what: string, attributes: Item, says: string])[] = [
  ["32 maps around a value", { a: inMaps(32) }, tooDeep],
  ["32 lists around a value", { a: inLists(32) }, tooDeep],
  ["31 maps around an empty map", { a: inMaps(31, m({})) }, tooDeep],
  ["31 lists around an empty list", { a: inLists(31, l()) }, tooDeep],
  ["an attribute without a name", { "": s("x") }, ""],
  [
    "a value without a type",
    { a: {} as AttributeValue },
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
  ],
];

export const valueCases: readonly PortCase[] = cases({ source, table: "simple" }, [
  ...[...stored, ...deepest].map(
    ([what, attributes]): Row => ({
      name: `PutItem stores ${what}`,
      putItem: { Item: { pk, ...attributes } },
      after: { simple: [{ pk, ...attributes }] },
    }),
  ),
  ...stored.map(
    ([what, attributes]): Row => ({
      name: `UpdateItem stores ${what}, inside of a value`,
      updateItem: {
        Key: { pk },
        UpdateExpression: "SET v = :v",
        ExpressionAttributeValues: { ":v": m(attributes) },
        ReturnValues: "ALL_NEW",
      },
      shows: { Attributes: { pk, v: m(attributes) } },
    }),
  ),
  ...rejected.map(
    ([what, attributes, says]): Row => ({
      name: `PutItem rejects ${what}`,
      source: withSuites,
      putItem: { Item: { pk, ...attributes } },
      rejected: says,
    }),
  ),
  conditionRow({
    name: "__proto__ is an attribute name like any other",
    item: proto,
    expression: "#p.#p = :v",
    names: { "#p": "__proto__" },
    values: { ":v": n(1) },
    holds: true,
  }),
  updateRow({
    name: "an update of __proto__ changes an attribute and nothing else",
    before: { m: m({}) },
    expression: "SET m.#p = :v, m.#c = :v REMOVE m.#t",
    names: { "#p": "__proto__", "#c": "constructor", "#t": "toString" },
    values: { ":v": n(1) },
    after: { m: m(Object.fromEntries(["__proto__", "constructor"].map((name) => [name, n(1)]))) },
  }),
  {
    name: "UpdateItem rejects nesting a value 32 levels deep by its path",
    source: withSuites,
    given: { simple: [{ pk, a: inMaps(20) }] },
    updateItem: { Key: { pk }, UpdateExpression: "SET a.a.a.a = :v", ExpressionAttributeValues: { ":v": inMaps(29) } },
    rejected: tooDeep,
  },
]);
