import type { Item, ReturnValue } from "@tablekeep/core";
import { l, m, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const suites = "public conformance suites";

const ab: Item = { pk, a: n(1), b: s("x") };
const document: Item = { pk, m: m({ a: s("old"), l: l(n(1), n(2), n(3)) }) };

/** An update with `:v`, the item before it or none, and the attributes that it returns, if any. */
type Update = readonly [
  returns: ReturnValue,
  what: string,
  before: Item | undefined,
  expression: string,
  attributes?: Item,
  v?: number,
];

const whole: readonly Update[] = [
  ["NONE", "returns nothing", ab, "SET a = :v"],
  ["ALL_OLD", "returns the whole item as it was", ab, "SET a = :v", ab],
  ["ALL_OLD", "returns nothing for a new item", undefined, "SET a = :v"],
  ["ALL_NEW", "returns the whole item as it is now", ab, "SET a = :v", { ...ab, a: n(2) }],
  ["ALL_NEW", "returns a new item with its key", undefined, "SET a = :v", { pk, a: n(2) }],
  ["UPDATED_OLD", "returns only what changes, as it was", ab, "SET a = :v", { a: n(1) }],
  ["UPDATED_OLD", "returns a value that is overwritten by itself", ab, "SET a = :v", { a: n(1) }, 1],
  ["UPDATED_OLD", "returns removed attributes", ab, "REMOVE b", { b: s("x") }],
  ["UPDATED_OLD", "returns nothing for a new attribute", ab, "SET c = :v"],
  ["UPDATED_OLD", "returns nothing for a new item", undefined, "SET a = :v"],
  ["UPDATED_NEW", "returns only what changes, as it is now", ab, "SET a = :v", { a: n(2) }],
  ["UPDATED_NEW", "returns no key for a new item", undefined, "SET a = :v", { a: n(2) }],
  ["UPDATED_NEW", "returns the sum that ADD makes", ab, "ADD a :v", { a: n(3) }],
  ["UPDATED_NEW", "returns nothing for a removed attribute", ab, "REMOVE b"],
  ["UPDATED_NEW", "returns set attributes and leaves removed ones out", ab, "SET a = :v REMOVE b", { a: n(2) }],
];

/** DynamoDB Local returns the whole top-level attribute of these. */
const nested: readonly Update[] = [
  ["UPDATED_OLD", "returns one entry of a map in its place", document, "SET m.a = :v", { m: m({ a: s("old") }) }],
  ["UPDATED_NEW", "returns one entry of a map in its place", document, "SET m.a = :v", { m: m({ a: n(2) }) }],
  ["UPDATED_OLD", "returns one element of a list, alone in the list", document, "SET m.l[1] = :v", { m: m({ l: l(n(2)) }) }, 7],
  ["UPDATED_NEW", "returns one element of a list, alone in the list", document, "SET m.l[1] = :v", { m: m({ l: l(n(7)) }) }, 7],
  ["UPDATED_NEW", "returns a new entry of a map", document, "SET m.b = :v", { m: m({ b: n(2) }) }],
];

const nestedEverywhere: readonly Update[] = [
  ["UPDATED_OLD", "returns nothing for a new entry of a map", document, "SET m.b = :v"],
  ["UPDATED_NEW", "returns nothing for an element past the end of a list", document, "SET m.l[100] = :v"],
  [
    "ALL_NEW",
    "returns the whole document after a nested change",
    document,
    "SET m.l[0] = :v REMOVE m.a",
    { pk, m: m({ l: l(n(2), n(2), n(3)) }) },
  ],
];

function updated([ReturnValues, what, before, expression, attributes, v = 2]: Update): Row {
  return {
    name: `UpdateItem with ${ReturnValues} ${what}: ${expression}${before ? "" : " of an absent item"}`,
    given: { simple: before ? [before] : [] },
    updateItem: {
      Key: { pk },
      UpdateExpression: expression,
      ExpressionAttributeValues: expression.includes(":v") ? { ":v": n(v) } : undefined,
      ReturnValues,
    },
    returns: attributes ? { Attributes: attributes } : {},
  };
}

export const returnValueCases: readonly PortCase[] = cases({ source: "AWS: API_UpdateItem, ReturnValues", table: "simple" }, [
  ...whole.map(updated),
  ...nested.map((row) => ({ ...updated(row), source: suites, gap: "returns the whole top-level attribute" })),
  ...nestedEverywhere.map((row) => ({ ...updated(row), source: suites })),
  {
    name: "PutItem with ALL_OLD returns the item that it replaces, and nothing for a new one",
    source: "AWS: API_PutItem, ReturnValues",
    steps: [
      { putItem: { Item: ab, ReturnValues: "ALL_OLD" }, returns: {} },
      { putItem: { Item: ab, ReturnValues: "ALL_OLD" }, returns: { Attributes: ab } },
    ],
  },
  {
    name: "DeleteItem with ALL_OLD returns the item that it deletes, and nothing for an absent one",
    source: "AWS: API_DeleteItem, ReturnValues",
    steps: [
      { deleteItem: { Key: { pk }, ReturnValues: "ALL_OLD" }, shows: { Attributes: undefined } },
      { putItem: { Item: ab } },
      { deleteItem: { Key: { pk }, ReturnValues: "ALL_OLD" }, shows: { Attributes: ab } },
    ],
  },
  ...(["ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"] as const).map(
    (ReturnValues): Row => ({
      name: `PutItem and DeleteItem reject ReturnValues ${ReturnValues}`,
      source: "AWS: API_PutItem and API_DeleteItem, ReturnValues",
      steps: [
        { putItem: { Item: { pk }, ReturnValues }, rejected: "" },
        { deleteItem: { Key: { pk }, ReturnValues }, rejected: "" },
      ],
    }),
  ),
]);
