import type { DynamoPort } from "@tablekeep/core";
import { refuses } from "../expectations.ts";
import { localGap, type PortCase } from "../port-case.ts";

const key = { pk: { S: "p" } };

interface NamedCall {
  readonly name: string;
  readonly call: (port: DynamoPort, table: string) => Promise<unknown>;
}

/** The calls that work with items. */
const itemCalls: readonly NamedCall[] = [
  { name: "GetItem", call: (port, TableName) => port.getItem({ TableName, Key: key }) },
  { name: "PutItem", call: (port, TableName) => port.putItem({ TableName, Item: key }) },
  {
    name: "UpdateItem",
    call: (port, TableName) => port.updateItem({ TableName, Key: key, UpdateExpression: "REMOVE a" }),
  },
  { name: "DeleteItem", call: (port, TableName) => port.deleteItem({ TableName, Key: key }) },
  {
    name: "Query",
    call: (port, TableName) =>
      port.query({
        TableName,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": key.pk },
      }),
  },
  { name: "Scan", call: (port, TableName) => port.scan({ TableName }) },
  {
    name: "BatchGetItem",
    call: (port, table) => port.batchGetItem({ RequestItems: { [table]: { Keys: [key] } } }),
  },
  {
    name: "BatchWriteItem",
    call: (port, table) =>
      port.batchWriteItem({ RequestItems: { [table]: [{ PutRequest: { Item: key } }] } }),
  },
  {
    name: "TransactGetItems",
    call: (port, TableName) => port.transactGetItems({ TransactItems: [{ Get: { TableName, Key: key } }] }),
  },
  {
    name: "TransactWriteItems",
    call: (port, TableName) =>
      port.transactWriteItems({ TransactItems: [{ Put: { TableName, Item: key } }] }),
  },
  {
    name: "ExecuteStatement",
    call: (port, table) => port.executeStatement({ Statement: `SELECT * FROM "${table}" WHERE pk = 'p'` }),
  },
];

/** The calls that work with tables. */
const tableCalls: readonly NamedCall[] = [
  { name: "DescribeTable", call: (port, TableName) => port.describeTable({ TableName }) },
  { name: "DeleteTable", call: (port, TableName) => port.deleteTable({ TableName }) },
  {
    name: "UpdateTable",
    call: (port, TableName) => port.updateTable({ TableName, DeletionProtectionEnabled: false }),
  },
  { name: "DescribeTimeToLive", call: (port, TableName) => port.describeTimeToLive({ TableName }) },
  {
    name: "UpdateTimeToLive",
    call: (port, TableName) =>
      port.updateTimeToLive({ TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: "ttl" } }),
  },
];

export const unknownTableCases: readonly PortCase[] = [
  ...[...itemCalls, ...tableCalls].map(
    ({ name, call }): PortCase => ({
      name: `${name} of an unknown table is refused with ResourceNotFoundException`,
      source: "AWS: API reference, errors of the operation",
      async run({ port, unique }) {
        await refuses(call(port, unique()), "ResourceNotFoundException");
      },
    }),
  ),
  {
    name: "An unknown table is refused in the same words by every call that works with items",
    source: "public conformance suites",
    async run({ port, unique }) {
      for (const { call } of itemCalls) {
        await refuses(call(port, unique()), "ResourceNotFoundException", "Requested resource not found");
      }
    },
    ...localGap("refuses with other words"),
  },
  {
    name: "A malformed request for an unknown table is a ValidationException: syntax comes first",
    source: "public conformance suites",
    async run({ port, unique }) {
      const scan = port.scan({ TableName: unique(), FilterExpression: "a = :undefined" });
      await refuses(scan, "ValidationException");
      const get = port.getItem({ TableName: unique(), Key: key, ProjectionExpression: "!!" });
      await refuses(get, "ValidationException");
    },
    ...localGap("looks for the table first"),
  },
];
