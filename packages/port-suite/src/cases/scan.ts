import assert from "node:assert/strict";
import type { AttributeValue, ComparisonOperator, Condition, Item, ScanInput } from "@tablekeep/core";
import { same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { column, ownTable, seed } from "../sample-rows.ts";

const api = "AWS: API_Scan";

/** A separate table with items of keys 0 to count-1 and the number `n`; `odd` is on every other. */
async function counted(world: PortWorld, count: number): Promise<string> {
  const table = await ownTable(world);
  const items = Array.from({ length: count }, (_, n): Item => {
    return { pk: { S: String(n) }, n: { N: String(n) }, ...(n % 2 === 1 ? { odd: { BOOL: true } } : {}) };
  });
  await seed(world.port, table, items);
  return table;
}

/** The keys of all pages together, sorted. A key that comes twice is there twice. */
async function scanned({ port }: PortWorld, input: ScanInput): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  let ExclusiveStartKey: Item | undefined;
  for (let round = 0; round < 100; round++) {
    const page = await port.scan({ ...input, ConsistentRead: true, ExclusiveStartKey });
    keys.push(...column(page.Items, "pk"));
    ExclusiveStartKey = page.LastEvaluatedKey;
    if (ExclusiveStartKey === undefined) return keys.sort();
  }
  throw new Error("the scan does not end");
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n)).sort();

const value = (
  ComparisonOperator: ComparisonOperator,
  ...AttributeValueList: AttributeValue[]
): Condition => ({
  ComparisonOperator,
  ...(AttributeValueList.length > 0 && { AttributeValueList }),
});

export const scanCases: readonly PortCase[] = [
  {
    name: "Scan of an empty table gives an empty page",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      same(await world.port.scan({ TableName }), { Items: [], Count: 0, ScannedCount: 0 });
    },
  },
  {
    name: "Scan gives every item once, whole",
    source: api,
    async run(world) {
      const TableName = await counted(world, 30);
      const { Items, Count, ScannedCount } = await world.port.scan({ TableName, ConsistentRead: true });
      same(column(Items, "pk").sort(), numbered(30));
      same([Count, ScannedCount], [30, 30]);
      const third = Items?.find((item) => item["pk"]?.S === "3");
      same(third, { pk: { S: "3" }, n: { N: "3" }, odd: { BOOL: true } });
    },
  },
  ...[1, 3, 10, 29, 30, 31].map(
    (Limit): PortCase => ({
      name: `Scan with Limit ${Limit} gives thirty items once each over its pages`,
      source: api,
      async run(world) {
        const TableName = await counted(world, 30);
        const first = await world.port.scan({ TableName, Limit, ConsistentRead: true });
        same(first.Count, Math.min(Limit, 30));
        same(first.LastEvaluatedKey === undefined, Limit > 30);
        same(await scanned(world, { TableName, Limit }), numbered(30));
      },
    }),
  ),
  {
    name: "Scan gives the same order every time, and goes on after its last key",
    source: api,
    async run(world) {
      const TableName = await counted(world, 12);
      const whole = column((await world.port.scan({ TableName, ConsistentRead: true })).Items, "pk");
      const first = await world.port.scan({ TableName, Limit: 5, ConsistentRead: true });
      same(column(first.Items, "pk"), whole.slice(0, 5));
      same(first.LastEvaluatedKey, { pk: { S: whole[4] } });
      const rest = await world.port.scan({
        TableName,
        ConsistentRead: true,
        ExclusiveStartKey: first.LastEvaluatedKey,
      });
      same(column(rest.Items, "pk"), whole.slice(5));
    },
  },
  {
    name: "Scan keeps the items of one partition together and in order",
    source: api,
    async run(world) {
      const table = await ownTable(world, {
        AttributeDefinitions: [
          { AttributeName: "pk", AttributeType: "S" },
          { AttributeName: "n", AttributeType: "N" },
        ],
        KeySchema: [
          { AttributeName: "pk", KeyType: "HASH" },
          { AttributeName: "n", KeyType: "RANGE" },
        ],
      });
      const rows = ["a", "b", "c"].flatMap((pk) =>
        ["10", "9", "1"].map((n) => ({ pk: { S: pk }, n: { N: n } })),
      );
      await seed(world.port, table, rows);
      const { Items } = await world.port.scan({ TableName: table, ConsistentRead: true });
      const runs = column(Items, "pk").filter((pk, index, all) => pk !== all[index - 1]);
      same(runs.sort(), ["a", "b", "c"]);
      same(column(Items, "n"), ["1", "9", "10", "1", "9", "10", "1", "9", "10"]);
    },
  },
  {
    name: "Scan filters, and counts what it read",
    source: api,
    async run(world) {
      const TableName = await counted(world, 10);
      const page = await world.port.scan({
        TableName,
        FilterExpression: "n >= :x AND attribute_exists(odd)",
        ExpressionAttributeValues: { ":x": { N: "4" } },
        ConsistentRead: true,
      });
      same(column(page.Items, "pk").sort(), ["5", "7", "9"]);
      same([page.Count, page.ScannedCount], [3, 10]);
    },
  },
  {
    name: "Scan may filter on the key, unlike Query",
    source: "AWS docs: Filter expressions for scan",
    async run(world) {
      const TableName = await counted(world, 5);
      const page = await world.port.scan({
        TableName,
        FilterExpression: "pk IN (:x, :y)",
        ExpressionAttributeValues: { ":x": { S: "1" }, ":y": { S: "3" } },
        ConsistentRead: true,
      });
      same(column(page.Items, "pk").sort(), ["1", "3"]);
    },
  },
  {
    name: "Scan counts Limit before the filter",
    source: api,
    async run(world) {
      const TableName = await counted(world, 10);
      const page = await world.port.scan({
        TableName,
        Limit: 4,
        FilterExpression: "attribute_exists(absent)",
      });
      same([page.Count, page.ScannedCount, page.Items], [0, 4, []]);
      assert.ok(page.LastEvaluatedKey !== undefined, "the page ended without a LastEvaluatedKey");
    },
  },
  {
    name: "Scan with Select COUNT gives counts and no items",
    source: api,
    async run(world) {
      const TableName = await counted(world, 7);
      same(await world.port.scan({ TableName, Select: "COUNT", ConsistentRead: true }), {
        Count: 7,
        ScannedCount: 7,
      });
    },
  },
  {
    name: "Scan projects",
    source: api,
    async run(world) {
      const TableName = await counted(world, 3);
      const { Items } = await world.port.scan({ TableName, ProjectionExpression: "n", ConsistentRead: true });
      same(column(Items, "n").sort(), ["0", "1", "2"]);
      same(
        Items?.map((item) => Object.keys(item)),
        [["n"], ["n"], ["n"]],
      );
    },
  },
  {
    name: "Scan ends a page at 1 MB and goes on from there",
    source: "AWS docs: Scanning tables, Paginating the results",
    async run(world) {
      const TableName = await ownTable(world);
      const rows = numbered(5).map((pk) => ({ pk: { S: pk }, fill: { S: "x".repeat(300_000) } }));
      await seed(world.port, TableName, rows);
      const first = await world.port.scan({ TableName, ConsistentRead: true });
      assert.ok((first.Count ?? 0) < 5 && first.LastEvaluatedKey !== undefined, `a page of ${first.Count}`);
      same(await scanned(world, { TableName }), numbered(5));
    },
  },
  ...[1, 2, 4, 7].map(
    (TotalSegments): PortCase => ({
      name: `Scan in ${TotalSegments} segments gives every item in exactly one of them`,
      source: "AWS docs: Scanning tables, Parallel scan",
      async run(world) {
        const TableName = await counted(world, 40);
        const keys: (string | undefined)[] = [];
        for (let Segment = 0; Segment < TotalSegments; Segment++) {
          keys.push(...(await scanned(world, { TableName, Segment, TotalSegments, Limit: 6 })));
        }
        same(keys.sort(), numbered(40));
      },
    }),
  ),
  {
    name: "Scan takes 1,000,000 segments",
    source: api,
    async run({ port, tables }) {
      await port.scan({ TableName: tables.simple, Segment: 999_999, TotalSegments: 1_000_000, Limit: 1 });
    },
  },
  {
    name: "Scan by ScanFilter keeps what all conditions allow, or any with OR",
    source: "AWS docs: Legacy DynamoDB conditional parameters",
    async run(world) {
      const TableName = await counted(world, 10);
      const ScanFilter = { n: value("GT", { N: "6" }), odd: value("NULL") };
      same(await scanned(world, { TableName, ScanFilter }), ["8"]);
      const either = await scanned(world, { TableName, ScanFilter, ConditionalOperator: "OR" });
      same(either, ["0", "2", "4", "6", "7", "8", "9"]);
    },
  },
  {
    name: "Scan by ScanFilter compares keys too, and gives AttributesToGet",
    source: "AWS docs: Legacy DynamoDB conditional parameters",
    async run(world) {
      const TableName = await counted(world, 4);
      const { Items } = await world.port.scan({
        TableName,
        ScanFilter: { pk: value("IN", { S: "1" }, { S: "9" }) },
        AttributesToGet: ["n"],
        ConsistentRead: true,
      });
      same(Items, [{ n: { N: "1" } }]);
    },
  },
];
