import assert from "node:assert/strict";
import type { CreateTableInput } from "@tablekeep/core";
import { b, n, s } from "../attribute-values.ts";
import { cases, type Row } from "../case-table.ts";
import { rejects, same } from "../expectations.ts";
import type { PortCase } from "../port-case.ts";
import { ownTable } from "../sample-rows.ts";
import { isActive, keySchema, tableInput } from "../shared-tables.ts";

const describe = { describeTable: { TableName: "$table" } };
const throughput = { ProvisionedThroughput: { ReadCapacityUnits: 3, WriteCapacityUnits: 2 } };

const withIndexes: Partial<CreateTableInput> = {
  AttributeDefinitions: ["pk", "sk", "l", "g"].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  KeySchema: keySchema("pk", "sk"),
  LocalSecondaryIndexes: [{ IndexName: "local", KeySchema: keySchema("pk", "l"), Projection: { ProjectionType: "KEYS_ONLY" } }],
  GlobalSecondaryIndexes: [
    {
      IndexName: "global",
      KeySchema: keySchema("g", "pk"),
      Projection: { ProjectionType: "INCLUDE", NonKeyAttributes: ["a", "b"] },
    },
  ],
};

const provisioned = {
  "Table.ProvisionedThroughput.ReadCapacityUnits": 3,
  "Table.ProvisionedThroughput.WriteCapacityUnits": 2,
  "Table.BillingModeSummary.BillingMode": /^(PROVISIONED|)$/,
};

export const createTableCases: readonly PortCase[] = cases({ source: "AWS: API_CreateTable", own: {}, table: "table" }, [
  {
    name: "CreateTable answers with the table, which becomes ACTIVE",
    async run(world) {
      const { port } = world;
      const input = tableInput(world.unique());
      const { TableDescription } = await port.createTable(input);
      const { TableName, KeySchema, AttributeDefinitions, TableStatus, TableArn } = TableDescription ?? {};
      const { BillingMode: _, ...asked } = input;
      same({ TableName, KeySchema, AttributeDefinitions }, asked);
      assert.match(TableStatus ?? "", /^(CREATING|ACTIVE)$/);
      assert.match(TableArn ?? "", new RegExp(`^arn:aws:dynamodb:.+:table/${input.TableName}$`));
      await world.eventually("the table is active", () => isActive(port, input.TableName ?? ""));
      const { Table } = await port.describeTable({ TableName: input.TableName });
      same([Table?.ItemCount, Table?.TableSizeBytes, Table?.TableArn], [0, 0, TableArn]);
      assert.ok(Table?.CreationDateTime instanceof Date);
    },
  },
  {
    name: "DescribeTable reports the billing mode and zero throughput of a table paid per request",
    ...describe,
    shows: {
      "Table.BillingModeSummary.BillingMode": "PAY_PER_REQUEST",
      "Table.ProvisionedThroughput.ReadCapacityUnits": 0,
      "Table.ProvisionedThroughput.WriteCapacityUnits": 0,
    },
  },
  {
    name: "DescribeTable reports the warm throughput of a table paid per request",
    source: "AWS docs: Understanding DynamoDB warm throughput",
    gap: "reports none",
    ...describe,
    shows: {
      "Table.WarmThroughput.ReadUnitsPerSecond": 12_000,
      "Table.WarmThroughput.WriteUnitsPerSecond": 4_000,
      "Table.WarmThroughput.Status": "ACTIVE",
    },
  },
  {
    name: "CreateTable provisions throughput, with or without naming the mode",
    own: { BillingMode: "PROVISIONED", ...throughput },
    steps: [
      { ...describe, shows: provisioned },
      { createTable: { ...tableInput("$unnamed", throughput), BillingMode: undefined } },
      { describeTable: { TableName: "$unnamed" }, shows: provisioned },
    ],
  },
  {
    name: "DescribeTable describes local and global indexes as requested",
    own: withIndexes,
    steps: [
      {
        ...describe,
        shows: {
          "Table.LocalSecondaryIndexes.*.IndexName": ["local"],
          "Table.LocalSecondaryIndexes.0.KeySchema": keySchema("pk", "l"),
          "Table.LocalSecondaryIndexes.0.Projection": { ProjectionType: "KEYS_ONLY" },
          "Table.LocalSecondaryIndexes.0.IndexArn": /\/index\/local$/,
          "Table.GlobalSecondaryIndexes.*.IndexName": ["global"],
          "Table.GlobalSecondaryIndexes.0.KeySchema": keySchema("g", "pk"),
          "Table.GlobalSecondaryIndexes.0.Projection.ProjectionType": "INCLUDE",
          "Table.GlobalSecondaryIndexes.0.IndexStatus": "ACTIVE",
          "Table.GlobalSecondaryIndexes.0.IndexArn": /\/index\/global$/,
        },
      },
      { ...describe, inAnyOrder: true, shows: { "Table.GlobalSecondaryIndexes.0.Projection.NonKeyAttributes": ["a", "b"] } },
    ],
  },
  { name: "CreateTable rejects a name that is taken", createTable: tableInput("$table"), rejected: "ResourceInUseException" },
  {
    name: "CreateTable accepts names of 3 and of 255 characters, and all allowed characters",
    async run({ port, unique }) {
      const name = unique();
      for (const TableName of [`${name}_.-Aa0`, `${name}${"x".repeat(255 - name.length)}`]) {
        await port.createTable(tableInput(TableName));
      }
    },
  },
  {
    name: "Table names are case-sensitive",
    source: "AWS docs: Supported data types and naming rules",
    gap: "answers 500 to the second name",
    own: undefined,
    steps: [
      { createTable: tableInput("$name-a") },
      { createTable: tableInput("$name-A") },
      { describeTable: { TableName: "$name-A" }, shows: { "Table.TableName": "$name-A" } },
    ],
  },
  ...Object.entries({ N: n("-1.5"), B: b(0, 200) }).map(
    ([AttributeType, pk]): Row => ({
      name: `A table may have a partition key of type ${AttributeType}`,
      own: { AttributeDefinitions: [{ AttributeName: "pk", AttributeType: AttributeType as "N" | "B" }] },
      steps: [{ putItem: { Item: { pk } } }, { getItem: { Key: { pk }, ConsistentRead: true }, returns: { Item: { pk } } }],
    }),
  ),
  {
    name: "DeleteTable removes the table and answers with its description",
    source: "AWS: API_DeleteTable",
    given: { table: [{ pk: s("a") }] },
    steps: [
      { deleteTable: { TableName: "$table" }, shows: { "TableDescription.TableName": "$table" } },
      { ...describe, eventually: true, rejected: "ResourceNotFoundException" },
    ],
  },
  {
    name: "A table that is created again under its old name is empty and has another id",
    source: "AWS: API_DeleteTable",
    async run(world) {
      const { port } = world;
      const TableName = await ownTable(world);
      const before = await port.describeTable({ TableName });
      await port.putItem({ TableName, Item: { pk: s("a") } });
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
      same((await port.describeTable({ TableName })).Table?.DeletionProtectionEnabled, true);
      const rejected = await port.deleteTable({ TableName }).then(
        () => undefined,
        (error: unknown) => error,
      );
      // The table can be deleted from here on, even if the case fails.
      await port.updateTable({ TableName, DeletionProtectionEnabled: false });
      await world.eventually("the table is active", () => isActive(port, TableName));
      await port.deleteTable({ TableName });
      await rejects(Promise.reject(rejected), "ValidationException");
    },
  },
]);
