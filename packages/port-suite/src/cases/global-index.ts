import type { QueryInput } from "@tablekeep/core";
import { n, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";
import { byIndex, indexedItems } from "../sample-rows.ts";

const api = "AWS docs: Using global secondary indexes in DynamoDB";
const consistent = "Consistent reads are not supported on global secondary indexes";
const sortKeys = "Items.*.sk.S";
const second = { pk: s("$two"), sk: s("2"), g: s("$g"), h: n(9) };

const rejections: readonly (readonly [what: string, index: string, input: Partial<QueryInput>, says: string])[] = [
  ["ConsistentRead", "by-g", { ConsistentRead: true }, consistent],
  [
    "Select ALL_ATTRIBUTES on a projection that is not ALL",
    "by-g-h",
    { Select: "ALL_ATTRIBUTES" },
    "Select type ALL_ATTRIBUTES is not supported for global secondary index",
  ],
  [
    "a projection of an attribute that the index does not hold",
    "by-g-h",
    { ProjectionExpression: "b" },
    "Global secondary index by-g-h does not project",
  ],
  [
    "a filter on its sort key",
    "by-g-h",
    { FilterExpression: "h = :g" },
    "Filter Expression can only contain non-primary key attributes: Primary key attribute: h",
  ],
  [
    "a condition on the table's key",
    "by-g-h",
    { KeyConditionExpression: "pk = :g" },
    "Query condition missed key schema element",
  ],
  [
    "an ExclusiveStartKey without the table's keys",
    "by-g",
    { ExclusiveStartKey: { g: s("g") } },
    "The provided starting key is invalid",
  ],
];

export const globalIndexCases: readonly PortCase[] = cases({ source: api, table: "indexed", given: { indexed: indexedItems } }, [
  ...rejections.map(
    ([what, index, input, says]): Row => ({
      name: `A global index rejects ${what}`,
      source: `${api}; public conformance suites`,
      given: {},
      query: byIndex(index, input),
      rejected: says,
    }),
  ),
  {
    name: "A global index gathers items of many partitions by its own key",
    query: byIndex("by-g"),
    inAnyOrder: true,
    shows: { Items: indexedItems },
  },
  {
    name: "A global index leaves out items that lack one of its keys",
    source: "AWS docs: Take advantage of sparse indexes",
    query: byIndex("by-g-h"),
    inAnyOrder: true,
    shows: { [sortKeys]: ["1", "2", "4"] },
  },
  {
    name: "A global index orders by its sort key, by value, both ways",
    steps: [
      { query: byIndex("by-g-h"), shows: { "Items.*.h.N": ["9", "10", "10"] } },
      { query: byIndex("by-g-h", { ScanIndexForward: false }), shows: { "Items.*.h.N": ["10", "10", "9"] } },
    ],
  },
  {
    name: "A global index of KEYS_ONLY returns the keys of table and index",
    query: byIndex("by-g-keys", { Limit: 1 }),
    shows: { Items: [second] },
  },
  {
    name: "A global index of INCLUDE returns the keys and the included attributes",
    query: byIndex("by-g-h", { Limit: 1 }),
    shows: { Items: [{ ...second, a: s("a2") }] },
  },
  {
    name: "A global index of ALL returns whole items with Select ALL_ATTRIBUTES",
    source: "AWS: API_Query, Select",
    query: byIndex("by-g", { Select: "ALL_ATTRIBUTES" }),
    inAnyOrder: true,
    shows: { Items: indexedItems },
  },
  {
    name: "A global index projects what it holds and filters on the table's keys",
    query: byIndex("by-g-h", {
      ProjectionExpression: "a, h",
      FilterExpression: "sk < :x",
      ExpressionAttributeValues: { ":x": s("2") },
    }),
    returns: { Items: [{ a: s("a1"), h: n(10) }], Count: 1, ScannedCount: 3 },
  },
  {
    name: "An invalid key condition is reported before the rule on consistent reads",
    source: "dynalite's suite, run against AWS: key conditions are read before the table is read",
    given: {},
    query: byIndex("by-g", { ConsistentRead: true, KeyConditionExpression: "g = :g OR g = :g" }),
    rejected: "Invalid operator used in KeyConditionExpression: OR",
  },
  {
    name: "A global index is read by a condition on its sort key",
    query: byIndex("by-g-h", { KeyConditionExpression: "g = :g AND h < :x", ExpressionAttributeValues: { ":x": n(10) } }),
    shows: { [sortKeys]: ["2"] },
  },
  ...[1, 2, 3].flatMap((Limit) =>
    [true, false].map(
      (ScanIndexForward): Row => ({
        name: `A global index pages ${ScanIndexForward ? "forwards" : "backwards"} through equal keys with Limit ${Limit}, each item once`,
        query: byIndex("by-g-h", { Limit, ScanIndexForward }),
        allPages: true,
        inAnyOrder: true,
        shows: { [sortKeys]: ["1", "2", "4"] },
      }),
    ),
  ),
  {
    name: "A global index returns the keys of index and table as LastEvaluatedKey",
    query: byIndex("by-g-h", { Limit: 1 }),
    shows: { LastEvaluatedKey: second },
  },
  {
    name: "Scan of a global index returns its items only, projected",
    source: "AWS: API_Scan",
    scan: { IndexName: "by-g-keys", FilterExpression: "g = :g", ExpressionAttributeValues: { ":g": s("$g") } },
    allPages: true,
    inAnyOrder: true,
    shows: {
      Items: [{ pk: s("$one"), sk: s("1"), g: s("$g"), h: n(10) }, second, { pk: s("$four"), sk: s("4"), g: s("$g"), h: n(10) }],
    },
  },
  {
    name: "Scan of a global index rejects ConsistentRead",
    source: "AWS: API_Scan",
    given: {},
    scan: { IndexName: "by-g", ConsistentRead: true },
    rejected: consistent,
  },
]);
