import type { AttributeValue, Item, QueryInput } from "@tablekeep/core";
import { fill, l as list, n, pk, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS docs: Local secondary indexes";
const filters = "AWS docs: Filter expressions for the Query operation";
const suites = "public conformance suites";
const otherWords = "rejects with other words";
const sortKeys = "Items.*.sk.S";

/** Three items whose order by `l` is the reverse of their order by `sk`, and one without `l`. */
const rows: readonly Item[] = [
  { pk, sk: s("1"), l: s("c"), a: s("a1"), b: s("b1") },
  { pk, sk: s("2"), l: s("b"), a: s("a2"), b: s("b2") },
  { pk, sk: s("3"), l: s("a"), a: s("a3"), b: s("b3") },
  { pk, sk: s("4"), a: s("a4") },
];
const first = rows[2];

/** A query of the partition by the index. */
function of({ ExpressionAttributeValues, ...over }: Partial<QueryInput> = {}): Partial<QueryInput> {
  return {
    IndexName: "by-l",
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": pk, ...ExpressionAttributeValues },
    ConsistentRead: true,
    ...over,
  };
}

const starts: readonly (readonly [what: string, key: Item])[] = [
  ["without the table's sort key", { pk, l: s("a") }],
  ["without the index key", { pk, sk: s("1") }],
  ["with an index key of the wrong type", { pk, sk: s("1"), l: n(1) }],
];

/** Index keys of a type that the index does not have. */
const wrongTypes: readonly (readonly [
  what: string,
  value: AttributeValue,
  putSays?: string,
  putGap?: string,
  updateGap?: string,
])[] = [
  [
    "a number",
    n(1),
    "Type mismatch for Index Key l Expected: S Actual: N",
    "does not name the key and its types",
    "stores the item and leaves it out of the index",
  ],
  ["NULL", { NULL: true }],
  ["an empty text", s("")],
  ["a list", list()],
];

const putOf = (bytes: number, sk: string, keys: Item = {}) => ({
  putItem: { Item: { pk, sk: s(sk), fill: fill(bytes), ...keys } },
});
const set = (value: AttributeValue) => ({ UpdateExpression: "SET l = :x", ExpressionAttributeValues: { ":x": value } });

const rejected: readonly (readonly [what: string, query: Partial<QueryInput>, says: string, source: string, gap?: string])[] = [
  [
    "a filter on its own sort key",
    of({ FilterExpression: "l = :p" }),
    "Filter Expression can only contain non-primary key attributes: Primary key attribute: l",
    filters,
  ],
  [
    "a condition on the table's sort key",
    of({ KeyConditionExpression: "pk = :p AND sk = :p" }),
    "Query condition missed key schema element: l",
    suites,
    "does not name the element",
  ],
];

/** Queries of the items above. */
const queries: readonly Row[] = [
  {
    name: "A local index orders a partition by its own sort key and leaves out items without it",
    steps: [
      { query: of(), shows: { [sortKeys]: ["3", "2", "1"], Count: 3, ScannedCount: 3 } },
      { query: of({ ScanIndexForward: false }), shows: { [sortKeys]: ["1", "2", "3"] } },
    ],
  },
  {
    name: "A local index is read by a condition on its sort key",
    query: of({ KeyConditionExpression: "pk = :p AND l >= :x", ExpressionAttributeValues: { ":x": s("b") } }),
    shows: { "Items.*.l.S": ["b", "c"] },
  },
  { name: "A local index returns whole items where it projects ALL", query: of({ Limit: 1 }), shows: { Items: [first] } },
  {
    name: "A local index of KEYS_ONLY returns the keys of table and index",
    steps: ([{}, { Select: "ALL_PROJECTED_ATTRIBUTES" }] as const).map((select) => ({
      query: of({ IndexName: "by-l-keys", Limit: 1, ...select }),
      shows: { Items: [{ pk, sk: s("3"), l: s("a") }] },
    })),
  },
  {
    name: "A local index fetches attributes from the table that it does not project",
    source: "AWS docs: Local secondary indexes, Fetches",
    steps: [
      { query: of({ IndexName: "by-l-keys", Limit: 1, Select: "ALL_ATTRIBUTES" }), shows: { Items: [first] } },
      { query: of({ IndexName: "by-l-keys", Limit: 1, ProjectionExpression: "b" }), shows: { Items: [{ b: s("b3") }] } },
    ],
  },
  {
    name: "A local index filters on an attribute of the table's key",
    source: filters,
    query: of({ FilterExpression: "sk > :x", ExpressionAttributeValues: { ":x": s("1") } }),
    shows: { [sortKeys]: ["3", "2"], Count: 2, ScannedCount: 3 },
  },
  {
    name: "A local index returns the keys of table and index as LastEvaluatedKey",
    query: of({ Limit: 2 }),
    shows: { LastEvaluatedKey: { pk, sk: s("2"), l: s("b") } },
  },
  {
    name: "A local index sees an update of its key, and the loss of it",
    steps: [
      { updateItem: { Key: { pk, sk: s("2") }, ...set(s("z")) } },
      { query: of(), shows: { [sortKeys]: ["3", "1", "2"] } },
      { updateItem: { Key: { pk, sk: s("2") }, UpdateExpression: "REMOVE l" } },
      { query: of(), shows: { [sortKeys]: ["3", "1"] } },
      { deleteItem: { Key: { pk, sk: s("3") } } },
      { query: of(), shows: { [sortKeys]: ["1"] } },
    ],
  },
  {
    name: "A local index shows the new values after a put replaced the item",
    steps: [
      { putItem: { Item: { pk, sk: s("3"), l: s("a"), fresh: s("yes") } } },
      { query: of({ Limit: 1 }), shows: { Items: [{ pk, sk: s("3"), l: s("a"), fresh: s("yes") }] } },
    ],
  },
];

const others: readonly Row[] = [
  ...rejected.map(
    ([what, query, says, source, gap]): Row => ({ name: `A local index rejects ${what}`, source, gap, query, rejected: says }),
  ),
  ...starts.map(
    ([what, ExclusiveStartKey]): Row => ({
      name: `A local index rejects an ExclusiveStartKey ${what}`,
      source: suites,
      gap: otherWords,
      query: of({ ExclusiveStartKey }),
      rejected: "The provided starting key is invalid",
    }),
  ),
  ...[1, 2, 3, 4].map(
    (Limit): Row => ({
      name: `A local index pages through equal sort keys with Limit ${Limit}, each item once`,
      given: { indexed: ["1", "2", "3", "4", "5"].map((sk) => ({ pk, sk: s(sk), l: s(sk < "5" ? "same" : "tail") })) },
      steps: [true, false].flatMap((ScanIndexForward) => [
        {
          query: of({ Limit, ScanIndexForward }),
          allPages: true,
          inAnyOrder: true,
          shows: { [sortKeys]: ["1", "2", "3", "4", "5"] },
        },
        { query: of({ Limit, ScanIndexForward }), allPages: true, shows: { [`Items.${ScanIndexForward ? 4 : 0}.sk.S`]: "5" } },
      ]),
    }),
  ),
  ...wrongTypes.flatMap(([what, value, putSays = "", putGap, updateGap]): Row[] => [
    {
      name: `PutItem rejects ${what} as an index key of type S`,
      source: suites,
      gap: putGap,
      putItem: { Item: { pk, sk: s("1"), l: value } },
      rejected: putSays,
    },
    {
      name: `UpdateItem rejects setting an index key of type S to ${what}`,
      source: suites,
      gap: updateGap,
      updateItem: { Key: { pk, sk: s("1") }, ...set(value) },
      rejected: "",
    },
  ]),
  {
    name: "an item and its copies in local indexes share the limit of 400 KB",
    source: "AWS docs: Local secondary indexes, Item collection and size limits",
    steps: [
      putOf(204_000, "1", { l: s("l") }),
      { ...putOf(205_000, "2", { l: s("l") }), rejected: "Item size has exceeded the maximum allowed size" },
      putOf(205_000, "3"),
    ],
  },
  {
    name: "A query of an index is rejected for a filter on attributes that the index does not hold",
    source: "ExecuteStatement's conformance suite, run against AWS; reported of Query by its users",
    steps: Object.entries({ "by-l-keys": "pk", "by-g-h": "g" }).map(([IndexName, key]) => ({
      query: {
        IndexName,
        KeyConditionExpression: `${key} = :p`,
        FilterExpression: "m = :p OR attribute_exists(b[0]) OR sk = :p",
        ExpressionAttributeValues: { ":p": s("p") },
      },
      rejected: `One or more parameter values were invalid: Secondary index ${IndexName} does not project one or more filter attributes: [b, m]`,
    })),
  },
];

export const localIndexCases: readonly PortCase[] = [
  ...cases({ source: api, table: "indexed", given: { indexed: rows } }, queries),
  ...cases({ source: api, table: "indexed" }, others),
];
