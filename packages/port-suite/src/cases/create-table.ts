import assert from "node:assert/strict";
import type { CreateTableInput } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";
import { ownTable } from "../sample-rows.ts";
import { isActive, keySchema, tableInput } from "../tables.ts";

const api = "AWS: API_CreateTable";
const throughput = { ReadCapacityUnits: 3, WriteCapacityUnits: 2 };

const withIndexes: Partial<CreateTableInput> = {
  AttributeDefinitions: ["pk", "sk", "l", "g"].map((AttributeName) => ({
    AttributeName,
    AttributeType: "S",
  })),
  KeySchema: keySchema("pk", "sk"),
  LocalSecondaryIndexes: [
    { IndexName: "local", KeySchema: keySchema("pk", "l"), Projection: { ProjectionType: "KEYS_ONLY" } },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "global",
      KeySchema: keySchema("g", "pk"),
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["a", "b"] },
    },
  ],
};

export const createTableCases: readonly PortCase[] = [
  {
    name: "CreateTable answers with the table, which becomes ACTIVE",
    source: api,
    async run(world) {
      const { port } = world;
      const input = tableInput(world.unique());
      const { TableDescription } = await port.createTable(input);
      same(TableDescription?.TableName, input.TableName);
      same(TableDescription?.KeySchema, input.KeySchema);
      same(TableDescription?.AttributeDefinitions, input.AttributeDefinitions);
      assert.match(TableDescription?.TableStatus ?? "", /^(CREATING|ACTIVE)$/);
      assert.match(
        TableDescription?.TableArn ?? "",
        new RegExp(`^arn:aws:dynamodb:.+:table/${input.TableName}$`),
      );
      await world.eventually("the table is active", () => isActive(port, input.TableName ?? ""));
      const { Table } = await port.describeTable({ TableName: input.TableName });
      same([Table?.ItemCount, Table?.TableSizeBytes], [0, 0]);
      assert.ok(Table?.CreationDateTime instanceof Date);
      same(Table?.TableArn, TableDescription?.TableArn);
    },
  },
  {
    name: "DescribeTable tells the billing mode and zero throughput of a table paid per request",
    source: api,
    async run(world) {
      const { Table } = await world.port.describeTable({ TableName: await ownTable(world) });
      same(Table?.BillingModeSummary?.BillingMode, "PAY_PER_REQUEST");
      same(Table?.ProvisionedThroughput?.ReadCapacityUnits, 0);
      same(Table?.ProvisionedThroughput?.WriteCapacityUnits, 0);
    },
  },
  {
    name: "CreateTable provisions throughput, with or without naming the mode",
    source: api,
    async run(world) {
      for (const BillingMode of ["PROVISIONED", undefined] as const) {
        const TableName = await ownTable(world, { BillingMode, ProvisionedThroughput: throughput });
        const { Table } = await world.port.describeTable({ TableName });
        same(Table?.ProvisionedThroughput?.ReadCapacityUnits, 3);
        same(Table?.ProvisionedThroughput?.WriteCapacityUnits, 2);
        same(Table?.BillingModeSummary?.BillingMode ?? "PROVISIONED", "PROVISIONED");
      }
    },
  },
  {
    name: "DescribeTable tells local and global indexes as they were asked for",
    source: api,
    async run(world) {
      const { Table } = await world.port.describeTable({ TableName: await ownTable(world, withIndexes) });
      const [local] = Table?.LocalSecondaryIndexes ?? [];
      same([local?.IndexName, local?.KeySchema], ["local", keySchema("pk", "l")]);
      same(local?.Projection, { ProjectionType: "KEYS_ONLY" });
      const [global] = Table?.GlobalSecondaryIndexes ?? [];
      same([global?.IndexName, global?.KeySchema], ["global", keySchema("g", "pk")]);
      same(global?.Projection?.ProjectionType, "INCLUDE");
      same([...(global?.Projection?.NonKeyAttributes ?? [])].sort(), ["a", "b"]);
      same(global?.IndexStatus, "ACTIVE");
      assert.match(global?.IndexArn ?? "", /\/index\/global$/);
      assert.match(local?.IndexArn ?? "", /\/index\/local$/);
    },
  },
  {
    name: "CreateTable refuses a name that is taken",
    source: api,
    async run(world) {
      const TableName = await ownTable(world);
      await refuses(world.port.createTable(tableInput(TableName)), "ResourceInUseException");
    },
  },
  {
    name: "CreateTable takes names of 3 and of 255 characters, and all allowed characters",
    source: api,
    async run({ port, unique }) {
      const name = unique();
      for (const TableName of [`${name}_.-Aa0`, `${name}${"x".repeat(255 - name.length)}`]) {
        await port.createTable(tableInput(TableName));
      }
    },
  },
  {
    name: "Table names are told apart by case",
    source: "AWS docs: Supported data types and naming rules",
    ...localGap("answers 500 to the second name"),
    async run({ port, unique }) {
      const name = unique();
      await port.createTable(tableInput(`${name}-a`));
      await port.createTable(tableInput(`${name}-A`));
      const { Table } = await port.describeTable({ TableName: `${name}-A` });
      same(Table?.TableName, `${name}-A`);
    },
  },
  ...(["N", "B"] as const).map(
    (AttributeType): PortCase => ({
      name: `A table may have a partition key of type ${AttributeType}`,
      source: api,
      async run(world) {
        const TableName = await ownTable(world, {
          AttributeDefinitions: [{ AttributeName: "pk", AttributeType }],
        });
        const pk = AttributeType === "N" ? { N: "-1.5" } : { B: Uint8Array.from([0, 200]) };
        await world.port.putItem({ TableName, Item: { pk } });
        const found = await world.port.getItem({ TableName, Key: { pk }, ConsistentRead: true });
        same(found, { Item: { pk } });
      },
    }),
  ),
  {
    name: "DeleteTable removes the table and answers with its description",
    source: "AWS: API_DeleteTable",
    async run(world) {
      const { port } = world;
      const TableName = await ownTable(world);
      await port.putItem({ TableName, Item: { pk: { S: "a" } } });
      same((await port.deleteTable({ TableName })).TableDescription?.TableName, TableName);
      await world.eventually("the table is gone", () =>
        port.describeTable({ TableName }).then(
          () => false,
          () => true,
        ),
      );
      await refuses(port.describeTable({ TableName }), "ResourceNotFoundException");
    },
  },
  {
    name: "A table that is created again under its old name is empty and has another id",
    source: "AWS: API_DeleteTable",
    async run(world) {
      const { port } = world;
      const TableName = await ownTable(world);
      const before = await port.describeTable({ TableName });
      await port.putItem({ TableName, Item: { pk: { S: "a" } } });
      await port.deleteTable({ TableName });
      await world.eventually("the table can be created again", () =>
        port.createTable(tableInput(TableName)).then(
          () => true,
          () => false,
        ),
      );
      await world.eventually("the table is active", () => isActive(port, TableName));
      same((await port.scan({ TableName, ConsistentRead: true })).Count, 0);
      const after = await port.describeTable({ TableName });
      assert.notEqual(after.Table?.TableId ?? "none", before.Table?.TableId);
    },
  },
  {
    name: "Deletion protection keeps a table until it is switched off",
    source: "AWS docs: Using deletion protection to protect your table",
    async run(world) {
      const { port } = world;
      const TableName = await ownTable(world, { DeletionProtectionEnabled: true });
      const { Table } = await port.describeTable({ TableName });
      same(Table?.DeletionProtectionEnabled, true);
      const refused = await port.deleteTable({ TableName }).then(
        () => undefined,
        (error: unknown) => error,
      );
      await port.updateTable({ TableName, DeletionProtectionEnabled: false });
      await world.eventually("the table is active", () => isActive(port, TableName));
      await port.deleteTable({ TableName });
      await refuses(Promise.reject(refused), "ValidationException");
    },
  },
];
