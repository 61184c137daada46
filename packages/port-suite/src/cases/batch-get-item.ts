import type { BatchGetItemInput, Item, KeysAndAttributes } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { column, seed } from "../sample-rows.ts";

const api = "AWS: API_BatchGetItem";

/** Items of the shared table `simple` with fresh keys. */
async function items({ port, tables, unique }: PortWorld, count: number): Promise<Item[]> {
  const all = Array.from({ length: count }, (_, index) => ({
    pk: { S: unique() },
    n: { N: String(index) },
    m: { M: { x: { S: `x${index}` } } },
  }));
  await seed(port, tables.simple, all);
  return all;
}

const keysOf = (all: readonly Item[]): Item[] => all.map(({ pk }) => ({ pk }) as Item);
const byNumber = (all: readonly Item[] | undefined): (string | undefined)[] => column(all, "n").sort();

const refusals: readonly { what: string; request: KeysAndAttributes; text?: string; gap?: string }[] = [
  {
    what: "the same key twice",
    request: { Keys: [{ pk: { S: "a" } }, { pk: { S: "a" } }] },
    text: "Provided list of item keys contains duplicates",
  },
  { what: "no keys for a table", request: { Keys: [] } },
  {
    what: "a key of the wrong type",
    request: { Keys: [{ pk: { N: "1" } }] },
    text: "The provided key element does not match the schema",
    gap: "refuses with other words",
  },
  {
    what: "a key with a further attribute",
    request: { Keys: [{ pk: { S: "a" }, x: { S: "x" } }] },
    text: "The provided key element does not match the schema",
    gap: "refuses with other words",
  },
  { what: "an empty key value", request: { Keys: [{ pk: { S: "" } }] } },
  {
    what: "an empty projection",
    request: { Keys: [{ pk: { S: "a" } }], ProjectionExpression: "" },
    text: "Invalid ProjectionExpression: The expression can not be empty;",
  },
  {
    what: "a projection beside AttributesToGet",
    request: { Keys: [{ pk: { S: "a" } }], ProjectionExpression: "n", AttributesToGet: ["n"] },
    text: "Can not use both expression and non-expression parameters in the same request",
  },
  {
    what: "a name that the projection does not use",
    request: {
      Keys: [{ pk: { S: "a" } }],
      ProjectionExpression: "n",
      ExpressionAttributeNames: { "#x": "x" },
    },
    text: "Value provided in ExpressionAttributeNames unused in expressions: keys: {#x}",
  },
];

export const batchGetItemCases: readonly PortCase[] = [
  ...refusals.map(
    ({ what, request, text, gap }): PortCase => ({
      name: `BatchGetItem refuses ${what}`,
      source: `${api}; public conformance suites`,
      async run({ port, tables }) {
        const batch = port.batchGetItem({ RequestItems: { [tables.simple]: request } });
        await refuses(batch, "ValidationException", text);
      },
      ...localGap(gap),
    }),
  ),
  {
    name: "BatchGetItem gives the items that exist and leaves out the others",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const all = await items(world, 3);
      const { Responses, UnprocessedKeys } = await port.batchGetItem({
        RequestItems: {
          [tables.simple]: { Keys: [...keysOf(all), { pk: { S: unique() } }], ConsistentRead: true },
        },
      });
      same(byNumber(Responses?.[tables.simple]), ["0", "1", "2"]);
      same(
        Responses?.[tables.simple]?.find((item) => item["n"]?.N === "1"),
        all[1],
      );
      same(UnprocessedKeys, {});
    },
  },
  {
    name: "BatchGetItem of absent items gives an empty list for the table",
    source: api,
    async run({ port, tables, unique }) {
      const batch = await port.batchGetItem({
        RequestItems: { [tables.simple]: { Keys: [{ pk: { S: unique() } }] } },
      });
      same(batch, { Responses: { [tables.simple]: [] }, UnprocessedKeys: {} });
    },
  },
  {
    name: "BatchGetItem reads several tables at once",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const [simple] = await items(world, 1);
      const key = { pk: { S: unique() }, n: { N: "7" } };
      await port.putItem({ TableName: tables.numeric, Item: { ...key, a: { S: "x" } } });
      const { Responses } = await port.batchGetItem({
        RequestItems: {
          [tables.simple]: { Keys: [{ pk: simple?.["pk"] ?? { S: "" } }], ConsistentRead: true },
          [tables.numeric]: { Keys: [{ pk: key.pk, n: { N: "7.0" } }], ConsistentRead: true },
        },
      });
      same(Responses, { [tables.simple]: [simple], [tables.numeric]: [{ ...key, a: { S: "x" } }] });
    },
  },
  {
    name: "BatchGetItem takes 100 keys",
    source: api,
    async run(world) {
      const { port, tables } = world;
      const all = await items(world, 100);
      const found: Item[] = [];
      let RequestItems: BatchGetItemInput["RequestItems"] = {
        [tables.simple]: { Keys: keysOf(all), ConsistentRead: true },
      };
      for (let round = 0; round < 20 && Object.keys(RequestItems ?? {}).length > 0; round++) {
        const { Responses, UnprocessedKeys } = await port.batchGetItem({ RequestItems });
        found.push(...(Responses?.[tables.simple] ?? []));
        RequestItems = UnprocessedKeys;
      }
      same(byNumber(found), byNumber(all));
    },
  },
  {
    name: "BatchGetItem refuses 101 keys",
    source: api,
    async run({ port, tables }) {
      const Keys = Array.from({ length: 101 }, (_, index) => ({ pk: { S: String(index) } }));
      await refuses(
        port.batchGetItem({ RequestItems: { [tables.simple]: { Keys } } }),
        "ValidationException",
      );
    },
  },
  {
    name: "BatchGetItem refuses 101 keys over two tables",
    source: api,
    async run({ port, tables }) {
      const Keys = Array.from({ length: 100 }, (_, index) => ({ pk: { S: String(index) } }));
      const RequestItems = {
        [tables.simple]: { Keys },
        [tables.composite]: { Keys: [{ pk: { S: "a" }, sk: { S: "b" } }] },
      };
      const text = "Too many items requested for the BatchGetItem call";
      await refuses(port.batchGetItem({ RequestItems }), "ValidationException", text);
    },
  },
  {
    name: "BatchGetItem refuses a request without tables",
    source: "public conformance suites; the words depend on the region",
    ...localGap("refuses with other words"),
    async run({ port }) {
      const text = /The requestItems parameter is required|'RequestItems' failed to satisfy constraint/;
      await refuses(port.batchGetItem({ RequestItems: {} }), "ValidationException", text);
    },
  },
  {
    name: "BatchGetItem finds numbers that are written differently to be the same key",
    source: "public conformance suites",
    ...localGap("compares the keys as they are written"),
    async run({ port, tables }) {
      const Keys = ["1", "1.0"].map((n) => ({ pk: { S: "p" }, n: { N: n } }));
      const text = "Provided list of item keys contains duplicates";
      await refuses(
        port.batchGetItem({ RequestItems: { [tables.numeric]: { Keys } } }),
        "ValidationException",
        text,
      );
    },
  },
  {
    name: "BatchGetItem projects per table",
    source: api,
    async run(world) {
      const { port, tables } = world;
      const all = await items(world, 2);
      const { Responses } = await port.batchGetItem({
        RequestItems: {
          [tables.simple]: {
            Keys: keysOf(all),
            ConsistentRead: true,
            ProjectionExpression: "#n, m.x",
            ExpressionAttributeNames: { "#n": "n" },
          },
        },
      });
      same(
        [...(Responses?.[tables.simple] ?? [])].sort((a, b) => Number(a["n"]?.N) - Number(b["n"]?.N)),
        all.map(({ n, m }) => ({ n, m })),
      );
    },
  },
  {
    name: "BatchGetItem takes the legacy AttributesToGet",
    source: "AWS docs: Legacy DynamoDB conditional parameters",
    async run(world) {
      const { port, tables } = world;
      const all = await items(world, 1);
      const { Responses } = await port.batchGetItem({
        RequestItems: {
          [tables.simple]: { Keys: keysOf(all), AttributesToGet: ["n"], ConsistentRead: true },
        },
      });
      same(Responses?.[tables.simple], [{ n: { N: "0" } }]);
    },
  },
  {
    name: "BatchGetItem of more than 16 MB gives the rest back as unprocessed keys",
    source: "AWS: API_BatchGetItem, at most 16 MB",
    async run(world) {
      const { port, tables, unique } = world;
      const pk = { S: unique() };
      const rows = Array.from({ length: 46 }, (_, index) => ({ pk, sk: { S: String(index) } }));
      for (let from = 0; from < rows.length; from += 23) {
        const fill = { S: "x".repeat(390_000) };
        await seed(
          port,
          tables.composite,
          rows.slice(from, from + 23).map((row) => ({ ...row, fill })),
        );
      }
      const { Responses, UnprocessedKeys } = await port.batchGetItem({
        RequestItems: { [tables.composite]: { Keys: rows, ConsistentRead: true } },
      });
      const got = column(Responses?.[tables.composite], "sk");
      const left = column(UnprocessedKeys?.[tables.composite]?.Keys, "sk");
      same([...got, ...left].sort(), column(rows, "sk").sort());
      same(left.length > 0 && got.length > 0, true, `${got.length} items, ${left.length} left`);
    },
  },
];
