import type { AttributeValueUpdate, Item } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";

const source = "AWS docs: LegacyConditionalParameters.AttributeUpdates";

type Updates = Record<string, AttributeValueUpdate>;

interface Row {
  readonly what: string;
  readonly before: Item | "absent";
  readonly updates: Updates;
  readonly after: Item | "absent";
  readonly gap?: string;
}

const two = { N: "2" };

const accepted: readonly Row[] = [
  {
    what: "PUT replaces",
    before: { a: { S: "x" } },
    updates: { a: { Action: "PUT", Value: two } },
    after: { a: two },
  },
  {
    what: "PUT creates an item",
    before: "absent",
    updates: { a: { Action: "PUT", Value: two } },
    after: { a: two },
  },
  {
    what: "without an action it puts",
    before: { a: { S: "x" } },
    updates: { a: { Value: two } },
    after: { a: two },
    gap: "ignores an update without an action",
  },
  {
    what: "DELETE takes an attribute away",
    before: { a: two, b: two },
    updates: { a: { Action: "DELETE" } },
    after: { b: two },
  },
  {
    what: "DELETE takes elements out of a set",
    before: { a: { SS: ["x", "y"] } },
    updates: { a: { Action: "DELETE", Value: { SS: ["y", "z"] } } },
    after: { a: { SS: ["x"] } },
  },
  {
    what: "DELETE of the last element takes the attribute away",
    before: { a: { NS: ["1"] }, b: two },
    updates: { a: { Action: "DELETE", Value: { NS: ["1"] } } },
    after: { b: two },
  },
  {
    what: "DELETE finds numbers in a set by value",
    before: { a: { NS: ["1", "2"] } },
    updates: { a: { Action: "DELETE", Value: { NS: ["1.0"] } } },
    after: { a: { NS: ["2"] } },
    gap: "misses a number that is written in another way",
  },
  {
    what: "DELETE does not create an absent item",
    before: "absent",
    updates: { a: { Action: "DELETE" } },
    after: "absent",
    gap: "creates an item of the key alone",
  },
  {
    what: "ADD adds",
    before: { a: { N: "1" } },
    updates: { a: { Action: "ADD", Value: two } },
    after: { a: { N: "3" } },
  },
  {
    what: "ADD takes an absent number for 0",
    before: {},
    updates: { a: { Action: "ADD", Value: two } },
    after: { a: two },
  },
  {
    what: "ADD creates an item",
    before: "absent",
    updates: { a: { Action: "ADD", Value: two } },
    after: { a: two },
  },
  {
    what: "ADD joins sets",
    before: { a: { SS: ["x"] } },
    updates: { a: { Action: "ADD", Value: { SS: ["x", "y"] } } },
    after: { a: { SS: ["x", "y"] } },
  },
  {
    what: "ADD appends to a list",
    before: { a: { L: [{ N: "1" }] } },
    updates: { a: { Action: "ADD", Value: { L: [two] } } },
    after: { a: { L: [{ N: "1" }, two] } },
  },
  {
    what: "ADD creates a list",
    before: {},
    updates: { a: { Action: "ADD", Value: { L: [two] } } },
    after: { a: { L: [two] } },
  },
  {
    what: "several attributes change at once",
    before: { a: { N: "1" }, b: { S: "gone" } },
    updates: {
      a: { Action: "ADD", Value: two },
      b: { Action: "DELETE" },
      c: { Action: "PUT", Value: { NULL: true } },
    },
    after: { a: { N: "3" }, c: { NULL: true } },
  },
  {
    what: "a name with a dot is one name",
    before: { m: { M: { a: two } } },
    updates: { "m.a": { Action: "PUT", Value: { S: "flat" } } },
    after: { m: { M: { a: two } }, "m.a": { S: "flat" } },
  },
  { what: "a map of nothing creates an item", before: "absent", updates: {}, after: {} },
];

const invalid = "One or more parameter values were invalid: ";
const refused: readonly (readonly [what: string, updates: Updates, says?: string])[] = [
  [
    "PUT without a value",
    { a: { Action: "PUT" } },
    `${invalid}Only DELETE action is allowed when no attribute value is specified`,
  ],
  [
    "ADD of a string",
    { a: { Action: "ADD", Value: { S: "x" } } },
    `${invalid}ADD action is not supported for the type STRING`,
  ],
  [
    "DELETE of a string",
    { a: { Action: "DELETE", Value: { S: "x" } } },
    `${invalid}DELETE action with value is not supported for the type STRING`,
  ],
  [
    "ADD of a number to a string",
    { s: { Action: "ADD", Value: two } },
    "Type mismatch for attribute to update",
  ],
  [
    "ADD of a number set to a string set",
    { ss: { Action: "ADD", Value: { NS: ["1"] } } },
    "Type mismatch for attribute to update",
  ],
  [
    "a change of the key",
    { pk: { Action: "PUT", Value: { S: "x" } } },
    `${invalid}Cannot update attribute pk. This attribute is part of the key`,
  ],
  ["an empty set", { a: { Action: "PUT", Value: { SS: [] } } }, "An string set  may not be empty"],
];

export const legacyUpdateCases: readonly PortCase[] = [
  ...accepted.map(
    ({ what, before, updates, after, gap }): PortCase => ({
      name: `AttributeUpdates: ${what}`,
      source,
      ...localGap(gap),
      async run({ port, tables, unique }) {
        const TableName = tables.simple;
        const Key = { pk: { S: unique() } };
        if (before !== "absent") await port.putItem({ TableName, Item: { ...before, ...Key } });
        await port.updateItem({ TableName, Key, AttributeUpdates: updates });
        const { Item } = await port.getItem({ TableName, Key, ConsistentRead: true });
        same(Item, after === "absent" ? undefined : { ...after, ...Key });
      },
    }),
  ),
  ...refused.map(
    ([what, updates, says]): PortCase => ({
      name: `AttributeUpdates are refused for ${what}`,
      source: `${source}; public conformance suites`,
      async run({ port, tables, unique }) {
        const TableName = tables.simple;
        const Item = { pk: { S: unique() }, s: { S: "x" }, ss: { SS: ["x"] } };
        await port.putItem({ TableName, Item });
        const update = port.updateItem({ TableName, Key: { pk: Item.pk }, AttributeUpdates: updates });
        await refuses(update, "ValidationException", says);
        same(await port.getItem({ TableName, Key: { pk: Item.pk } }), { Item });
      },
    }),
  ),
];
