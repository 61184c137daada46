import type { AttributeValue, Item } from "@tablekeep/core";
import { conditionCase } from "../condition-cases.ts";
import { refuses, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { updateCase } from "../update-cases.ts";

const source = "AWS docs: HowItWorks.NamingRulesDataTypes";
const suites = "public conformance suites";

const allBytes = Uint8Array.from({ length: 256 }, (_, index) => index);

/** A scalar inside of `levels` maps. */
const inMaps = (levels: number): AttributeValue =>
  levels === 0 ? { S: "x" } : { M: { a: inMaps(levels - 1) } };
const inLists = (levels: number): AttributeValue =>
  levels === 0 ? { S: "x" } : { L: [inLists(levels - 1)] };

/** The name by which a prototype is reached: an own attribute here. */
const proto: Item = Object.fromEntries([
  ["__proto__", { M: Object.fromEntries([["__proto__", { N: "1" }]]) }],
]);

const stored: readonly (readonly [what: string, attributes: Item])[] = [
  ["an empty string", { a: { S: "" } }],
  ["empty bytes", { a: { B: new Uint8Array() } }],
  ["an empty list and an empty map", { a: { L: [] }, b: { M: {} } }],
  ["both booleans and null", { a: { BOOL: true }, b: { BOOL: false }, c: { NULL: true } }],
  ["every byte", { a: { B: allBytes } }],
  ["characters of one to four bytes", { a: { S: "añ€😀" }, "ключ 😀": { S: "named" } }],
  ["control characters and quotes", { a: { S: "\u0000\u0001\t\n\r\"\\'\u007f\u2028" } }],
  ["white space at the ends of a string", { a: { S: "  x\n" } }],
  [
    "a list of mixed types",
    {
      a: { L: [{ S: "" }, { N: "1" }, { BOOL: false }, { NULL: true }, { L: [] }, { M: {} }, { SS: ["a"] }] },
    },
  ],
  ["names that objects have", { constructor: { S: "a" }, toString: { S: "b" }, hasOwnProperty: { N: "1" } }],
  ["names that objects have, in a map", { a: { M: { constructor: { N: "1" }, valueOf: { M: {} } } } }],
  ["names of digits", { "0": { S: "zero" }, "1": { S: "one" }, "-1": { S: "minus" } }],
  ["a name of 255 characters", { ["n".repeat(255)]: { S: "long" } }],
];

const deepest: readonly (readonly [what: string, attributes: Item])[] = [
  ["31 maps around a value", { a: inMaps(31) }],
  ["31 lists around a value", { a: inLists(31) }],
];

const wrong = (value: unknown) => value as AttributeValue;

const refused: readonly (readonly [what: string, attributes: Item, says?: string])[] = [
  ["32 maps around a value", { a: inMaps(32) }, "Nesting Levels have exceeded supported limits"],
  ["32 lists around a value", { a: inLists(32) }, "Nesting Levels have exceeded supported limits"],
  ["an attribute without a name", { "": { S: "x" } }],
  [
    "a value without a type",
    { a: wrong({}) },
    "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
  ],
];

export const valueCases: readonly PortCase[] = [
  ...[...stored, ...deepest].map(
    ([what, attributes]): PortCase => ({
      name: `PutItem stores ${what}`,
      source,
      async run({ port, tables, unique }) {
        const Key = { pk: { S: unique() } };
        await port.putItem({ TableName: tables.simple, Item: { ...Key, ...attributes } });
        same(await port.getItem({ TableName: tables.simple, Key }), { Item: { ...Key, ...attributes } });
      },
    }),
  ),
  ...stored.map(
    ([what, attributes]): PortCase => ({
      name: `UpdateItem stores ${what}, inside of a value`,
      source,
      async run({ port, tables, unique }) {
        const Key = { pk: { S: unique() } };
        const { Attributes } = await port.updateItem({
          TableName: tables.simple,
          Key,
          UpdateExpression: "SET v = :v",
          ExpressionAttributeValues: { ":v": { M: attributes } },
          ReturnValues: "ALL_NEW",
        });
        same(Attributes, { ...Key, v: { M: attributes } });
      },
    }),
  ),
  ...refused.map(
    ([what, attributes, says]): PortCase => ({
      name: `PutItem refuses ${what}`,
      source: `${source}; ${suites}`,
      async run({ port, tables, unique }) {
        const put = port.putItem({
          TableName: tables.simple,
          Item: { pk: { S: unique() }, ...attributes },
        });
        await refuses(put, "ValidationException", says);
      },
    }),
  ),
  conditionCase({
    name: "__proto__ is an attribute name like any other",
    source,
    item: proto,
    expression: "#p.#p = :v",
    names: { "#p": "__proto__" },
    values: { ":v": { N: "1" } },
    holds: true,
  }),
  updateCase({
    name: "an update of __proto__ changes an attribute and nothing else",
    source,
    before: { m: { M: {} } },
    expression: "SET m.#p = :v, m.#c = :v REMOVE m.#t",
    names: { "#p": "__proto__", "#c": "constructor", "#t": "toString" },
    values: { ":v": { N: "1" } },
    after: { m: { M: Object.fromEntries(["__proto__", "constructor"].map((name) => [name, { N: "1" }])) } },
  }),
  {
    name: "UpdateItem refuses to nest a value 32 levels deep by its path",
    source: `${source}; ${suites}`,
    async run({ port, tables, unique }) {
      const Key = { pk: { S: unique() } };
      await port.putItem({ TableName: tables.simple, Item: { ...Key, a: inMaps(20) } });
      const update = port.updateItem({
        TableName: tables.simple,
        Key,
        UpdateExpression: "SET a.a.a.a = :v",
        ExpressionAttributeValues: { ":v": inMaps(29) },
      });
      await refuses(update, "ValidationException", "Nesting Levels have exceeded supported limits");
    },
  },
];
