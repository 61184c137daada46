import type { Item, WriteRequest } from "@tablekeep/core";
import { b, fill, l, m, n, ns, pk, s, ss, upTo } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const api = "AWS: API_BatchWriteItem";
const put = (Item: Item): WriteRequest => ({ PutRequest: { Item } });
const remove = (Key: Item): WriteRequest => ({ DeleteRequest: { Key } });
const numbered = (count: number): Item[] => upTo(count).map((index) => ({ pk, sk: s(String(index + 10)) }));

const a = { pk, sk: s("a") };
const duplicates = "Provided list of item keys contains duplicates";
const schema = "The provided key element does not match the schema";
const otherWords = "rejects with other words";

/** Requests on a table with keys pk and sk (S) that are rejected as a whole. */
const rejections: readonly (readonly [what: string, requests: WriteRequest[], says?: string, gap?: string])[] = [
  ["no requests for a table", []],
  ["26 requests", numbered(26).map(put)],
  ["two puts of one item", [put(a), put({ ...a, x: s("x") })], duplicates],
  ["a put and a delete of one item", [put(a), remove(a)], duplicates],
  ["two deletes of one item", [remove(a), remove(a)], duplicates],
  ["a put without the sort key", [put({ pk })], schema, otherWords],
  ["a delete without the sort key", [remove({ pk })], schema, otherWords],
  ["a key of the wrong type", [put({ pk, sk: n(1) })], schema, otherWords],
  [
    "an empty key value",
    [put({ pk, sk: s("") })],
    "The AttributeValue for a key attribute cannot contain an empty string value. Key: sk",
  ],
  ["an empty set", [put({ ...a, t: ss() })]],
  [
    "a request that is neither put nor delete",
    [{}],
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
  ],
  ["an empty set after a key that does not fit", [put({ pk }), put({ ...a, t: ss() })], "An string set  may not be empty"],
  ["a request that is both put and delete", [{ ...put(a), ...remove({ pk, sk: s("b") }) }]],
  ["an item of more than 400 KB", [put({ ...a, fill: fill(410_000) })], "Item size has exceeded the maximum allowed size"],
];

const everyType: Item = {
  pk,
  empty: s(""),
  number: n("123456789012345678901234567890.12345678"),
  bytes: b(0, 127, 128, 255),
  texts: ss("b", "a"),
  numbers: ns(2, -1),
  sets: { BS: [b(255).B, b(0).B] },
  list: l({ NULL: true }, { BOOL: false }, m({ deep: l() })),
  map: m({}),
};

export const batchWriteItemCases: readonly PortCase[] = cases({ source: api }, [
  ...rejections.map(
    ([what, requests, says = "", gap]): Row => ({
      name: `BatchWriteItem rejects ${what}`,
      source: `${api}; public conformance suites`,
      gap,
      batchWriteItem: { RequestItems: { $composite: requests } },
      rejected: says,
    }),
  ),
  {
    name: "BatchWriteItem puts and deletes, and leaves nothing unprocessed",
    given: { composite: [a, { pk, sk: s("b") }] },
    batchWriteItem: {
      RequestItems: {
        $composite: [remove(a), put({ pk, sk: s("b"), x: s("new") }), put({ pk, sk: s("c") }), remove({ pk, sk: s("absent") })],
      },
    },
    shows: { UnprocessedItems: {} },
    after: {
      composite: [
        { pk, sk: s("b"), x: s("new") },
        { pk, sk: s("c") },
      ],
    },
  },
  {
    name: "BatchWriteItem replaces whole items",
    given: { composite: [{ ...a, old: s("x") }] },
    batchWriteItem: { RequestItems: { $composite: [put({ ...a, fresh: s("y") })] } },
    after: { composite: [{ ...a, fresh: s("y") }] },
  },
  {
    name: "BatchWriteItem accepts 25 requests",
    given: { composite: numbered(25) },
    query: {
      TableName: "$composite",
      KeyConditionExpression: "pk = :p",
      ExpressionAttributeValues: { ":p": pk },
      ConsistentRead: true,
    },
    shows: { Count: 25 },
    after: { composite: numbered(25) },
  },
  {
    name: "BatchWriteItem counts its 25 requests over all tables",
    batchWriteItem: { RequestItems: { $composite: numbered(25).map(put), $simple: [put({ pk })] } },
    rejected: "Too many items requested for the BatchWriteItem call",
  },
  {
    name: "BatchWriteItem writes several tables at once",
    batchWriteItem: { RequestItems: { $simple: [put({ pk })], $composite: [put(a)] } },
    after: { simple: [{ pk }], composite: [a] },
  },
  {
    name: "BatchWriteItem accepts the same key in two tables",
    batchWriteItem: { RequestItems: { $composite: [put(a)], $indexed: [put(a)] } },
    shows: { UnprocessedItems: {} },
  },
  {
    name: "BatchWriteItem finds numbers that are written differently to be the same key",
    source: "public conformance suites",
    batchWriteItem: { RequestItems: { $numeric: [put({ pk, n: n("1") }), put({ pk, n: n("1.0") })] } },
    rejected: duplicates,
  },
  { name: "BatchWriteItem rejects a request without tables", batchWriteItem: { RequestItems: {} }, rejected: "" },
  {
    name: "BatchWriteItem that is rejected writes nothing of it",
    batchWriteItem: { RequestItems: { $composite: [put(a), put({ pk, sk: n(1) })] } },
    rejected: "",
    after: { composite: [] },
  },
  {
    name: "BatchWriteItem keeps every type of attribute value",
    steps: [
      { batchWriteItem: { RequestItems: { $simple: [put(everyType)] } }, shows: { UnprocessedItems: {} } },
      {
        batchGetItem: { RequestItems: { $simple: { Keys: [{ pk }], ConsistentRead: true } } },
        shows: { "Responses.$simple": [everyType] },
      },
    ],
    after: { simple: [everyType] },
  },
]);
