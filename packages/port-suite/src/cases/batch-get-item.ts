import type { BatchGetItemInput, Item, KeysAndAttributes } from "@tablekeep/core";
import { fill, m, n, pk, s, upTo } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { column, seed } from "../sample-rows.ts";

const api = "AWS: API_BatchGetItem";
const key = s("a");
const duplicates = "Provided list of item keys contains duplicates";
const schema = "The provided key element does not match the schema";
const otherWords = "rejects with other words";

/** Three items of the shared table `simple`. */
const items: readonly Item[] = ["$one", "$two", "$three"].map((each, index) => ({
  pk: s(each),
  n: n(index),
  m: m({ x: s(`x${index}`) }),
}));
const Keys = ["$one", "$two", "$three"].map((each) => ({ pk: s(each) }));
const numbered = (count: number) => upTo(count).map((index) => ({ pk: s(String(index)) }));

const rejections: readonly (readonly [what: string, request: KeysAndAttributes, says?: string, gap?: string])[] = [
  ["the same key twice", { Keys: [{ pk: key }, { pk: key }] }, duplicates],
  ["no keys for a table", { Keys: [] }],
  ["a key of the wrong type", { Keys: [{ pk: n(1) }] }, schema, otherWords],
  ["a key with a further attribute", { Keys: [{ pk: key, x: s("x") }] }, schema, otherWords],
  ["an empty key value", { Keys: [{ pk: s("") }] }],
  [
    "an empty projection",
    { Keys: [{ pk: key }], ProjectionExpression: "" },
    "Invalid ProjectionExpression: The expression can not be empty;",
  ],
  [
    "a projection beside AttributesToGet",
    { Keys: [{ pk: key }], ProjectionExpression: "n", AttributesToGet: ["n"] },
    "Can not use both expression and non-expression parameters in the same request",
  ],
  [
    "a name that the projection does not use",
    { Keys: [{ pk: key }], ProjectionExpression: "n", ExpressionAttributeNames: { "#x": "x" } },
    "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
  ],
];

export const batchGetItemCases: readonly PortCase[] = cases({ source: api, given: { simple: items } }, [
  ...rejections.map(
    ([what, request, says = "", gap]): Row => ({
      name: `BatchGetItem rejects ${what}`,
      source: `${api}; public conformance suites`,
      gap,
      given: {},
      batchGetItem: { RequestItems: { $simple: request } },
      rejected: says,
    }),
  ),
  {
    name: "BatchGetItem returns the items that exist and leaves out the others",
    batchGetItem: { RequestItems: { $simple: { Keys: [...Keys, { pk: s("$absent") }], ConsistentRead: true } } },
    inAnyOrder: true,
    shows: { "Responses.$simple": items, UnprocessedKeys: {} },
  },
  {
    name: "BatchGetItem of absent items returns an empty list for the table",
    given: {},
    batchGetItem: { RequestItems: { $simple: { Keys: [{ pk }] } } },
    returns: { Responses: { $simple: [] }, UnprocessedKeys: {} },
  },
  {
    name: "BatchGetItem reads several tables at once",
    given: { simple: items, numeric: [{ pk, n: n(7), a: s("x") }] },
    batchGetItem: {
      RequestItems: {
        $simple: { Keys: [{ pk: s("$one") }], ConsistentRead: true },
        $numeric: { Keys: [{ pk, n: n("7.0") }], ConsistentRead: true },
      },
    },
    shows: { Responses: { $simple: [items[0]], $numeric: [{ pk, n: n(7), a: s("x") }] } },
  },
  {
    name: "BatchGetItem accepts 100 keys",
    async run({ port, tables, unique }) {
      const all = upTo(100).map((index) => ({ pk: s(unique()), n: n(index) }));
      await seed(port, tables.simple, all);
      const found: Item[] = [];
      let RequestItems: BatchGetItemInput["RequestItems"] = {
        [tables.simple]: { Keys: all.map((item) => ({ pk: item.pk })), ConsistentRead: true },
      };
      for (let round = 0; round < 20 && Object.keys(RequestItems ?? {}).length > 0; round++) {
        const { Responses, UnprocessedKeys } = await port.batchGetItem({ RequestItems });
        found.push(...(Responses?.[tables.simple] ?? []));
        RequestItems = UnprocessedKeys;
      }
      same(column(found, "n").sort(), column(all, "n").sort());
    },
  },
  {
    name: "BatchGetItem rejects 101 keys",
    given: {},
    batchGetItem: { RequestItems: { $simple: { Keys: numbered(101) } } },
    rejected: "",
  },
  {
    name: "BatchGetItem rejects 101 keys over two tables",
    given: {},
    batchGetItem: { RequestItems: { $simple: { Keys: numbered(100) }, $composite: { Keys: [{ pk: s("a"), sk: s("b") }] } } },
    rejected: "Too many items requested for the BatchGetItem call",
  },
  {
    name: "BatchGetItem rejects a request without tables",
    source: "public conformance suites; the words depend on the region",
    gap: otherWords,
    given: {},
    batchGetItem: { RequestItems: {} },
    rejected: /The requestItems parameter is required|'RequestItems' failed to satisfy constraint/,
  },
  {
    name: "BatchGetItem finds numbers that are written differently to be the same key",
    source: "public conformance suites",
    gap: "compares the keys as they are written",
    given: {},
    batchGetItem: { RequestItems: { $numeric: { Keys: ["1", "1.0"].map((each) => ({ pk, n: n(each) })) } } },
    rejected: duplicates,
  },
  {
    name: "BatchGetItem projects per table",
    batchGetItem: {
      RequestItems: {
        $simple: { Keys, ConsistentRead: true, ProjectionExpression: "#n, m.x", ExpressionAttributeNames: { "#n": "n" } },
      },
    },
    inAnyOrder: true,
    shows: { "Responses.$simple": items.map(({ pk: _, ...rest }) => rest) },
  },
  {
    name: "BatchGetItem accepts the legacy AttributesToGet",
    source: "AWS docs: Legacy DynamoDB conditional parameters",
    batchGetItem: { RequestItems: { $simple: { Keys: [{ pk: s("$one") }], AttributesToGet: ["n"], ConsistentRead: true } } },
    shows: { "Responses.$simple": [{ n: n(0) }] },
  },
  {
    name: "BatchGetItem of more than 16 MB returns the rest as unprocessed keys",
    source: "AWS: API_BatchGetItem, at most 16 MB",
    async run({ port, tables, unique }) {
      const ofCase = s(unique());
      const rows = upTo(46).map((index) => ({ pk: ofCase, sk: s(String(index)) }));
      const filled = rows.map((row) => ({ ...row, fill: fill(390_000) }));
      await seed(port, tables.composite, filled.slice(0, 23));
      await seed(port, tables.composite, filled.slice(23));
      const { Responses, UnprocessedKeys } = await port.batchGetItem({
        RequestItems: { [tables.composite]: { Keys: rows, ConsistentRead: true } },
      });
      const got = column(Responses?.[tables.composite], "sk");
      const left = column(UnprocessedKeys?.[tables.composite]?.Keys, "sk");
      same([...got, ...left].sort(), column(rows, "sk").sort());
      same(left.length > 0 && got.length > 0, true, `${got.length} items, ${left.length} left`);
    },
  },
]);
