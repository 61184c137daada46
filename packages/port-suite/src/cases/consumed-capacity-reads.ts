import type { AttributeValue, ConsumedCapacity, QueryInput } from "@tablekeep/core";
import { same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { seed, seedPartition, settles } from "../sample-rows.ts";

const api = "AWS docs: DynamoDB read and write operations, capacity unit consumption";
const s = (text: string): AttributeValue => ({ S: text });

/** Four items of about 3,000 bytes: 12 KB together, so 3 units of 4 KB read at once and 1 each read one by one. */
function fourItems(world: PortWorld): Promise<{ S: string }> {
  return seedPartition(world, ["a", "b", "c", "d"], () => ({ fill: s("x".repeat(2_900)) }));
}

async function queryUnits(world: PortWorld, pk: AttributeValue, over: Partial<QueryInput>): Promise<unknown> {
  const { ConsumedCapacity } = await world.port.query({
    TableName: world.tables.composite,
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": pk },
    ReturnConsumedCapacity: "TOTAL",
    ...over,
  });
  return ConsumedCapacity?.CapacityUnits;
}

const total = (capacities: readonly ConsumedCapacity[] | undefined): number =>
  (capacities ?? []).reduce((sum, each) => sum + (each.CapacityUnits ?? 0), 0);

/** The cost of a query of the four items. */
const queries: readonly { what: string; over: Partial<QueryInput>; units: number }[] = [
  { what: "read eventually", over: {}, units: 1.5 },
  { what: "read consistently", over: { ConsistentRead: true }, units: 3 },
  {
    what: "filtered to none",
    over: { ConsistentRead: true, FilterExpression: "attribute_exists(z)" },
    units: 3,
  },
  { what: "projected to the key", over: { ConsistentRead: true, ProjectionExpression: "sk" }, units: 3 },
  { what: "only counted", over: { ConsistentRead: true, Select: "COUNT" }, units: 3 },
  { what: "cut by Limit 1", over: { ConsistentRead: true, Limit: 1 }, units: 1 },
];

export const consumedCapacityReadCases: readonly PortCase[] = [
  ...queries.map(
    ({ what, over, units }): PortCase => ({
      name: `Query of 12 KB costs ${units} units when ${what}`,
      source: api,
      async run(world) {
        const pk = await fourItems(world);
        same(await queryUnits(world, pk, over), units);
      },
    }),
  ),
  {
    name: "Query of nothing costs half a unit, or one when consistent",
    source: api,
    ...localGap("costs nothing"),
    async run(world) {
      same(await queryUnits(world, s(world.unique()), {}), 0.5);
      same(await queryUnits(world, s(world.unique()), { ConsistentRead: true }), 1);
    },
  },
  {
    name: "Without ReturnConsumedCapacity, or with NONE, no capacity comes back",
    source: "AWS: API_Query, ReturnConsumedCapacity",
    async run({ port, tables, unique }) {
      const input = {
        TableName: tables.composite,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": s(unique()) },
      };
      same((await port.query(input)).ConsumedCapacity, undefined);
      same((await port.query({ ...input, ReturnConsumedCapacity: "NONE" })).ConsumedCapacity, undefined);
    },
  },
  {
    name: "TOTAL gives the table and its units, INDEXES the share of table and index too",
    source: "AWS: API_Query, ReturnConsumedCapacity",
    async run(world) {
      const { port, tables, unique } = world;
      const item = { pk: s(unique()), sk: s("1"), g: s(unique()) };
      await seed(port, tables.indexed, [item]);
      const input = {
        TableName: tables.indexed,
        IndexName: "by-g",
        KeyConditionExpression: "g = :g",
        ExpressionAttributeValues: { ":g": item.g },
      };
      await settles(world, async () => (await port.query(input)).Count, 1);
      const brief = await port.query({ ...input, ReturnConsumedCapacity: "TOTAL" });
      same(brief.ConsumedCapacity, { TableName: tables.indexed, CapacityUnits: 0.5 });
      const full = await port.query({ ...input, ReturnConsumedCapacity: "INDEXES" });
      same(full.ConsumedCapacity, {
        TableName: tables.indexed,
        CapacityUnits: 0.5,
        Table: { CapacityUnits: 0 },
        GlobalSecondaryIndexes: { "by-g": { CapacityUnits: 0.5 } },
      });
    },
  },
  {
    name: "Query of a local index that fetches pays for index and table",
    source: "AWS docs: Local secondary indexes, Provisioned throughput considerations",
    async run(world) {
      const { port, tables, unique } = world;
      const pk = s(unique());
      const rows = ["1", "2", "3"].map((sk) => ({ pk, sk: s(sk), l: s(sk), fill: s("x".repeat(3_000)) }));
      await seed(port, tables.indexed, rows);
      const { ConsumedCapacity } = await port.query({
        TableName: tables.indexed,
        IndexName: "by-l-keys",
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": pk },
        Select: "ALL_ATTRIBUTES",
        ConsistentRead: true,
        ReturnConsumedCapacity: "INDEXES",
      });
      same(ConsumedCapacity, {
        TableName: tables.indexed,
        CapacityUnits: 4,
        Table: { CapacityUnits: 3 },
        LocalSecondaryIndexes: { "by-l-keys": { CapacityUnits: 1 } },
      });
    },
  },
  {
    name: "Scan costs what it reads, filtered or not",
    source: api,
    async run(world) {
      const { port, tables, unique } = world;
      const pk = s(unique());
      await seed(port, tables.composite, [{ pk, sk: s("a"), fill: s("x".repeat(9_000)) }]);
      const scan = async (ConsistentRead: boolean) => {
        const { ConsumedCapacity } = await port.scan({
          TableName: tables.composite,
          ExclusiveStartKey: undefined,
          Limit: 1,
          ConsistentRead,
          FilterExpression: "attribute_exists(z)",
          ReturnConsumedCapacity: "TOTAL",
        });
        return ConsumedCapacity?.CapacityUnits ?? 0;
      };
      same(await scan(true), (await scan(false)) * 2);
    },
  },
  {
    name: "BatchGetItem rounds each item up on its own, and an absent one costs the least",
    source: `${api}; AWS: API_BatchGetItem`,
    ...localGap("an absent item costs nothing"),
    async run(world) {
      const { port, tables } = world;
      const pk = await fourItems(world);
      const Keys = ["a", "b", "c", "d", "absent"].map((sk) => ({ pk, sk: s(sk) }));
      const get = async (ConsistentRead: boolean) =>
        total(
          (
            await port.batchGetItem({
              RequestItems: { [tables.composite]: { Keys, ConsistentRead } },
              ReturnConsumedCapacity: "TOTAL",
            })
          ).ConsumedCapacity,
        );
      same(await get(false), 2.5);
      same(await get(true), 5);
    },
  },
  {
    name: "BatchGetItem of four items of 3 KB costs four reads",
    source: api,
    async run(world) {
      const { port, tables } = world;
      const pk = await fourItems(world);
      const Keys = ["a", "b", "c", "d"].map((sk) => ({ pk, sk: s(sk) }));
      const { ConsumedCapacity } = await port.batchGetItem({
        RequestItems: { [tables.composite]: { Keys, ConsistentRead: true } },
        ReturnConsumedCapacity: "TOTAL",
      });
      same(ConsumedCapacity, [{ TableName: tables.composite, CapacityUnits: 4 }]);
    },
  },
  {
    name: "TransactGetItems costs twice what consistent reads cost alone",
    source: api,
    async run(world) {
      const { port, tables } = world;
      const pk = await fourItems(world);
      const { ConsumedCapacity } = await port.transactGetItems({
        TransactItems: ["a", "b", "absent"].map((sk) => ({
          Get: { TableName: tables.composite, Key: { pk, sk: s(sk) } },
        })),
        ReturnConsumedCapacity: "TOTAL",
      });
      same(total(ConsumedCapacity), 6);
    },
  },
  {
    name: "ExecuteStatement and BatchExecuteStatement tell what they cost",
    source: "public conformance suites",
    async run({ port, tables, unique }) {
      const pk = s(unique());
      await seed(port, tables.simple, [{ pk }]);
      const statement = { Statement: `SELECT * FROM "${tables.simple}" WHERE pk = ?`, Parameters: [pk] };
      const one = await port.executeStatement({ ...statement, ReturnConsumedCapacity: "TOTAL" });
      same(one.ConsumedCapacity?.CapacityUnits, 0.5);
      const many = await port.batchExecuteStatement({
        Statements: [{ ...statement, ConsistentRead: true }],
        ReturnConsumedCapacity: "TOTAL",
      });
      same(total(many.ConsumedCapacity), 1);
    },
    ...localGap("ExecuteStatement does not tell"),
  },
];
