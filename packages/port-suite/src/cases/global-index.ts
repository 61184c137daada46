import type { AttributeValue, Item, QueryInput } from "@tablekeep/core";
import { refuses } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { bySortKey, column, indexedRows, only, queryIndex, settles } from "../sample-rows.ts";

const api = "AWS docs: Using global secondary indexes in DynamoDB";
const s = (text: string): AttributeValue => ({ S: text });
const n = (text: string): AttributeValue => ({ N: text });

const refusals: readonly { what: string; index: string; input: Partial<QueryInput>; text?: string }[] = [
  {
    what: "ConsistentRead",
    index: "by-g",
    input: { ConsistentRead: true },
    text: "Consistent reads are not supported on global secondary indexes",
  },
  {
    what: "Select ALL_ATTRIBUTES on a projection that is not ALL",
    index: "by-g-h",
    input: { Select: "ALL_ATTRIBUTES" },
    text: "Select type ALL_ATTRIBUTES is not supported for global secondary index",
  },
  {
    what: "a projection of an attribute that the index does not hold",
    index: "by-g-h",
    input: { ProjectionExpression: "b" },
    text: "Global secondary index by-g-h does not project",
  },
  {
    what: "a filter on its sort key",
    index: "by-g-h",
    input: { FilterExpression: "h = :g" },
    text: "Filter Expression can only contain non-primary key attributes: Primary key attribute: h",
  },
  {
    what: "a condition on the table's key",
    index: "by-g-h",
    input: { KeyConditionExpression: "pk = :g" },
    text: "Query condition missed key schema element",
  },
  {
    what: "an ExclusiveStartKey without the table's keys",
    index: "by-g",
    input: { ExclusiveStartKey: { g: s("g") } },
    text: "The provided starting key is invalid",
  },
];

export const globalIndexCases: readonly PortCase[] = [
  ...refusals.map(
    ({ what, index, input, text }): PortCase => ({
      name: `A global index refuses ${what}`,
      source: `${api}; public conformance suites`,
      async run(world) {
        await refuses(queryIndex(world, index, s("g"), input), "ValidationException", text);
      },
    }),
  ),
  {
    name: "A global index gathers items of many partitions by its own key",
    source: api,
    async run(world) {
      const { g, items } = await indexedRows(world);
      await settles(world, async () => bySortKey((await queryIndex(world, "by-g", g)).Items), items);
    },
  },
  {
    name: "A global index leaves out items that lack one of its keys",
    source: "AWS docs: Take advantage of sparse indexes",
    async run(world) {
      const { g } = await indexedRows(world);
      await settles(world, async () => column((await queryIndex(world, "by-g-h", g)).Items, "sk").sort(), [
        "1",
        "2",
        "4",
      ]);
    },
  },
  {
    name: "A global index orders by its sort key, by value, both ways",
    source: api,
    async run(world) {
      const { g } = await indexedRows(world);
      await settles(world, async () => column((await queryIndex(world, "by-g-h", g)).Items, "h"), [
        "9",
        "10",
        "10",
      ]);
      const back = () => queryIndex(world, "by-g-h", g, { ScanIndexForward: false });
      await settles(world, async () => column((await back()).Items, "h"), ["10", "10", "9"]);
    },
  },
  {
    name: "A global index of KEYS_ONLY gives the keys of table and index",
    source: api,
    async run(world) {
      const { g, items } = await indexedRows(world);
      await settles(world, async () => (await queryIndex(world, "by-g-keys", g, { Limit: 1 })).Items, [
        only(items[1], "pk", "sk", "g", "h"),
      ]);
    },
  },
  {
    name: "A global index of INCLUDE gives the keys and the included attributes",
    source: api,
    async run(world) {
      const { g, items } = await indexedRows(world);
      await settles(world, async () => (await queryIndex(world, "by-g-h", g, { Limit: 1 })).Items, [
        only(items[1], "pk", "sk", "g", "h", "a"),
      ]);
    },
  },
  {
    name: "A global index of ALL gives whole items with Select ALL_ATTRIBUTES",
    source: "AWS: API_Query, Select",
    async run(world) {
      const { g, items } = await indexedRows(world);
      const read = async () =>
        bySortKey((await queryIndex(world, "by-g", g, { Select: "ALL_ATTRIBUTES" })).Items);
      await settles(world, read, items);
    },
  },
  {
    name: "A global index projects what it holds and filters on the table's keys",
    source: api,
    async run(world) {
      const { g } = await indexedRows(world);
      const read = () =>
        queryIndex(world, "by-g-h", g, {
          ProjectionExpression: "a, h",
          FilterExpression: "sk < :x",
          ExpressionAttributeValues: { ":x": s("2") },
        });
      await settles(world, read, { Items: [{ a: s("a1"), h: n("10") }], Count: 1, ScannedCount: 3 });
    },
  },
  {
    name: "What no key condition may be is told before the rule on consistent reads",
    source: "dynalite's suite, run against AWS: key conditions are read before the table is looked at",
    async run({ port, tables }) {
      const query = port.query({
        TableName: tables.indexed,
        IndexName: "by-g",
        ConsistentRead: true,
        KeyConditionExpression: "g = :g OR g = :g",
        ExpressionAttributeValues: { ":g": s("g") },
      });
      await refuses(query, "ValidationException", "Invalid operator used in KeyConditionExpression: OR");
    },
  },
  {
    name: "A global index is read by a condition on its sort key",
    source: api,
    async run(world) {
      const { g } = await indexedRows(world);
      const read = async () => {
        const over = {
          KeyConditionExpression: "g = :g AND h < :x",
          ExpressionAttributeValues: { ":x": n("10") },
        };
        return column((await queryIndex(world, "by-g-h", g, over)).Items, "sk");
      };
      await settles(world, read, ["2"]);
    },
  },
  ...[1, 2, 3].flatMap((Limit) =>
    [true, false].map(
      (ScanIndexForward): PortCase => ({
        name: `A global index pages ${ScanIndexForward ? "forwards" : "backwards"} through equal keys with Limit ${Limit}, each item once`,
        source: api,
        async run(world) {
          const { g } = await indexedRows(world);
          const walk = async () => {
            const seen: (string | undefined)[] = [];
            let ExclusiveStartKey: Item | undefined;
            for (let round = 0; round < 10; round++) {
              const page = await queryIndex(world, "by-g-h", g, {
                Limit,
                ScanIndexForward,
                ExclusiveStartKey,
              });
              seen.push(...column(page.Items, "sk"));
              ExclusiveStartKey = page.LastEvaluatedKey;
              if (ExclusiveStartKey === undefined) return seen.sort();
            }
            return "does not end";
          };
          await settles(world, walk, ["1", "2", "4"]);
        },
      }),
    ),
  ),
  {
    name: "A global index gives the keys of index and table as LastEvaluatedKey",
    source: api,
    async run(world) {
      const { g, items } = await indexedRows(world);
      const read = async () => (await queryIndex(world, "by-g-h", g, { Limit: 1 })).LastEvaluatedKey;
      await settles(world, read, only(items[1], "pk", "sk", "g", "h"));
    },
  },
  {
    name: "Scan of a global index gives its items only, projected",
    source: "AWS: API_Scan",
    async run(world) {
      const { g } = await indexedRows(world);
      const read = async () => {
        const all: Item[] = [];
        let ExclusiveStartKey: Item | undefined;
        do {
          const page = await world.port.scan({
            TableName: world.tables.indexed,
            IndexName: "by-g-keys",
            FilterExpression: "g = :g",
            ExpressionAttributeValues: { ":g": g },
            ExclusiveStartKey,
          });
          all.push(...(page.Items ?? []));
          ExclusiveStartKey = page.LastEvaluatedKey;
        } while (ExclusiveStartKey !== undefined);
        return bySortKey(all).map((item) => [item["sk"]?.S, Object.keys(item).sort().join()]);
      };
      await settles(world, read, [
        ["1", "g,h,pk,sk"],
        ["2", "g,h,pk,sk"],
        ["4", "g,h,pk,sk"],
      ]);
    },
  },
  {
    name: "Scan of a global index refuses ConsistentRead",
    source: "AWS: API_Scan",
    async run({ port, tables }) {
      const scan = port.scan({ TableName: tables.indexed, IndexName: "by-g", ConsistentRead: true });
      await refuses(
        scan,
        "ValidationException",
        "Consistent reads are not supported on global secondary indexes",
      );
    },
  },
];
