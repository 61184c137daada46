import type { AttributeValue, Item, UpdateTableInput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase, type PortWorld } from "../port-case.ts";
import { column, ownTable, seed } from "../sample-rows.ts";
import { isActive, keySchema } from "../tables.ts";

const api = "AWS: API_UpdateTable";
const s = (text: string): AttributeValue => ({ S: text });

/** A request that adds the index `by-g` (`g` of type S). */
function addIndex(TableName: string, projection: "ALL" | "KEYS_ONLY" = "ALL"): UpdateTableInput {
  return {
    TableName,
    AttributeDefinitions: [{ AttributeName: "g", AttributeType: "S" }],
    GlobalSecondaryIndexUpdates: [
      {
        Create: { IndexName: "by-g", KeySchema: keySchema("g"), Projection: { ProjectionType: projection } },
      },
    ],
  };
}

async function change(world: PortWorld, input: UpdateTableInput): Promise<void> {
  await world.port.updateTable(input);
  await world.eventually("the table is active again", () => isActive(world.port, input.TableName ?? ""));
}

async function byG(world: PortWorld, TableName: string, g: string): Promise<Item[]> {
  const { Items } = await world.port.query({
    TableName,
    IndexName: "by-g",
    KeyConditionExpression: "g = :g",
    ExpressionAttributeValues: { ":g": s(g) },
  });
  return [...(Items ?? [])].sort((one, two) => ((one["pk"]?.S ?? "") < (two["pk"]?.S ?? "") ? -1 : 1));
}

export const updateTableCases: readonly PortCase[] = [
  {
    name: "UpdateTable adds a global index and fills it with the items that are there",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      const items: Item[] = [
        { pk: s("1"), g: s("x"), a: s("a") },
        { pk: s("2"), g: s("x") },
        { pk: s("3"), g: s("y") },
        { pk: s("4") },
      ];
      await seed(world.port, TableName, items);
      await change(world, addIndex(TableName));
      same(await byG(world, TableName, "x"), items.slice(0, 2));
      same(await byG(world, TableName, "y"), items.slice(2, 3));
    },
  },
  {
    name: "UpdateTable leaves items out of a new index whose key has another type",
    source: "AWS docs: Detecting and correcting index key violations",
    ...localGap("puts them into the index"),
    async run(world) {
      const TableName = await ownTable(world);
      await seed(world.port, TableName, [
        { pk: s("1"), g: { N: "1" } },
        { pk: s("2"), g: s("x") },
      ]);
      await change(world, addIndex(TableName, "KEYS_ONLY"));
      const { Items } = await world.port.scan({ TableName, IndexName: "by-g" });
      same(Items, [{ pk: s("2"), g: s("x") }]);
      same((await world.port.scan({ TableName, ConsistentRead: true })).Count, 2);
    },
  },
  {
    name: "An item that a new index leaves out is updated as long as its key in the index stays",
    source: "dynoxide's tests after measurements on AWS: an update checks the index keys that it changes",
    ...localGap("checks an index key that stays as it is"),
    async run(world) {
      const TableName = await ownTable(world);
      await seed(world.port, TableName, [{ pk: s("1"), g: { N: "1" } }]);
      await change(world, addIndex(TableName, "KEYS_ONLY"));
      const update = (UpdateExpression: string) =>
        world.port.updateItem({
          TableName,
          Key: { pk: s("1") },
          UpdateExpression,
          ExpressionAttributeValues: { ":v": { N: "2" } },
        });
      await update("SET a = :v");
      await refuses(update("SET g = :v"), "ValidationException");
    },
  },
  {
    name: "A new index follows later writes, and refuses its key in another type",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      await change(world, addIndex(TableName));
      await world.port.putItem({ TableName, Item: { pk: s("1"), g: s("x") } });
      await world.eventually(
        "the index shows the item",
        async () => (await byG(world, TableName, "x")).length === 1,
      );
      const put = world.port.putItem({ TableName, Item: { pk: s("2"), g: { N: "1" } } });
      await refuses(put, "ValidationException", "Type mismatch for Index Key");
    },
  },
  {
    name: "UpdateTable removes a global index",
    source: api,
    async run(world) {
      const { port } = world;
      const TableName = await ownTable(world);
      await change(world, addIndex(TableName));
      await port.updateTable({
        TableName,
        GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "by-g" } }],
      });
      await world.eventually("the index is gone", async () => {
        const { Table } = await port.describeTable({ TableName });
        return (Table?.GlobalSecondaryIndexes ?? []).length === 0 && Table?.TableStatus === "ACTIVE";
      });
      await refuses(
        byG(world, TableName, "x"),
        "ValidationException",
        "The table does not have the specified index",
      );
      await port.putItem({ TableName, Item: { pk: s("1"), g: { N: "1" } } });
    },
  },
  {
    name: "UpdateTable refuses a second index of the same name",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      await change(world, addIndex(TableName));
      await refuses(world.port.updateTable(addIndex(TableName)), "ValidationException");
    },
  },
  {
    name: "UpdateTable refuses to remove an index that is not there",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      const call = world.port.updateTable({
        TableName,
        GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: "absent" } }],
      });
      await refuses(call, "ResourceNotFoundException");
    },
  },
  {
    name: "UpdateTable refuses an index on an attribute without definition",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      const { AttributeDefinitions: _, ...rest } = addIndex(TableName);
      await refuses(world.port.updateTable(rest), "ValidationException");
    },
  },
  {
    name: "UpdateTable refuses a request that changes nothing",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      await refuses(world.port.updateTable({ TableName }), "ValidationException");
    },
  },
  {
    name: "UpdateTable changes the throughput of a provisioned table",
    source: api,
    async run(world) {
      const TableName = await ownTable(world, {
        BillingMode: "PROVISIONED",
        ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
      });
      await change(world, {
        TableName,
        ProvisionedThroughput: { ReadCapacityUnits: 4, WriteCapacityUnits: 2 },
      });
      const { Table } = await world.port.describeTable({ TableName });
      same(Table?.ProvisionedThroughput?.ReadCapacityUnits, 4);
      same(Table?.ProvisionedThroughput?.WriteCapacityUnits, 2);
    },
  },
  {
    name: "UpdateTable changes the billing mode both ways",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      const mode = async () => {
        const { Table } = await world.port.describeTable({ TableName });
        return [Table?.BillingModeSummary?.BillingMode, Table?.ProvisionedThroughput?.ReadCapacityUnits];
      };
      await change(world, {
        TableName,
        BillingMode: "PROVISIONED",
        ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 5 },
      });
      same(await mode(), ["PROVISIONED", 5]);
      await change(world, { TableName, BillingMode: "PAY_PER_REQUEST" });
      same(await mode(), ["PAY_PER_REQUEST", 0]);
    },
  },
  {
    name: "UpdateTable switches a stream on and off",
    source: api,
    async run(world) {
      const { port } = world;
      const TableName = await ownTable(world);
      await change(world, {
        TableName,
        StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
      });
      const { Table } = await port.describeTable({ TableName });
      same(Table?.StreamSpecification, { StreamEnabled: true, StreamViewType: "KEYS_ONLY" });
      same((Table?.LatestStreamArn ?? "").includes(`${TableName}/stream/`), true, Table?.LatestStreamArn);
      await change(world, { TableName, StreamSpecification: { StreamEnabled: false } });
      const after = await port.describeTable({ TableName });
      same(after.Table?.StreamSpecification?.StreamEnabled ?? false, false);
    },
  },
  {
    name: "UpdateTable refuses a new index that gives a known attribute another type",
    source: "DynamoDB Local; sources on AWS disagree",
    async run(world) {
      const TableName = await ownTable(world);
      const call = world.port.updateTable({
        TableName,
        AttributeDefinitions: [
          { AttributeName: "pk", AttributeType: "N" },
          { AttributeName: "g", AttributeType: "S" },
        ],
        GlobalSecondaryIndexUpdates: [
          {
            Create: {
              IndexName: "by-g",
              KeySchema: [{ AttributeName: "g", KeyType: "HASH" }],
              Projection: { ProjectionType: "ALL" },
            },
          },
        ],
      });
      const text = "SchemaElement redefined should be of same type as previously defined";
      await refuses(call, "ValidationException", text);
    },
  },
  ...multiAttributeKeys(),
];

/** Indexes whose partition or sort key has several attributes. */
function multiAttributeKeys(): PortCase[] {
  return [
    {
      name: "A global index may have two partition and two sort attributes, read by equality and prefix",
      source: "AWS docs: Multi-attribute keys pattern",
      async run(world) {
        const { port } = world;
        const names = ["pk", "g1", "g2", "h1", "h2"];
        const TableName = await ownTable(world, {
          AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
          GlobalSecondaryIndexes: [
            {
              IndexName: "multi",
              KeySchema: [
                { AttributeName: "g1", KeyType: "HASH" },
                { AttributeName: "g2", KeyType: "HASH" },
                { AttributeName: "h1", KeyType: "RANGE" },
                { AttributeName: "h2", KeyType: "RANGE" },
              ],
              Projection: { ProjectionType: "ALL" },
            },
          ],
        });
        const row = (pk: string, g2: string, h1: string, h2: string) => ({
          pk: s(pk),
          g1: s("g"),
          g2: s(g2),
          h1: s(h1),
          h2: s(h2),
        });
        const rows = [
          row("1", "x", "b", "1"),
          row("2", "x", "a", "2"),
          row("3", "x", "a", "1"),
          row("4", "y", "a", "1"),
        ];
        await seed(port, TableName, [...rows, { pk: s("5"), g1: s("g"), g2: s("x"), h1: s("a") }]);
        const query = async (sort: string, values: Record<string, AttributeValue>) => {
          const { Items } = await port.query({
            TableName,
            IndexName: "multi",
            KeyConditionExpression: `g1 = :g AND g2 = :x${sort}`,
            ExpressionAttributeValues: { ":g": s("g"), ":x": s("x"), ...values },
          });
          return column(Items, "pk");
        };
        await world.eventually("the index has three items", async () => (await query("", {})).length === 3);
        same(await query("", {}), ["3", "2", "1"]);
        same(await query(" AND h1 = :h", { ":h": s("a") }), ["3", "2"]);
        same(await query(" AND h1 = :h AND h2 > :i", { ":h": s("a"), ":i": s("1") }), ["2"]);
        const skipped =
          "RANGE key attributes h1 must have equality conditions specified in the query because a condition is present on key attribute h2";
        await refuses(query(" AND h2 = :i", { ":i": s("1") }), "ValidationException", skipped);
        const loose = query(" AND h1 > :h AND h2 = :i", { ":h": s("a"), ":i": s("1") });
        await refuses(loose, "ValidationException", skipped);
        const ofPartition = (condition: string) =>
          port.query({
            TableName,
            IndexName: "multi",
            KeyConditionExpression: condition,
            ExpressionAttributeValues: { ":g": s("g") },
          });
        const whole = (names: string) =>
          `HASH key attributes ${names} must have equality conditions specified in the query`;
        await refuses(ofPartition("g1 = :g"), "ValidationException", whole("g2"));
        await refuses(ofPartition("g1 = :g AND g2 > :g"), "ValidationException", whole("g2"));
        await refuses(ofPartition("h1 = :g"), "ValidationException", whole("g1, g2"));
      },
    },
  ];
}
