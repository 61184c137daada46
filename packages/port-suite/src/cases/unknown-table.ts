import { s } from "../attribute-values.ts";
import { cases, type Row, type Step } from "../case-table.ts";
import type { PortCase } from "../port-case.ts";

const Key = { pk: s("p") };
const TableName = "absent-$name";

/** The requests on items. */
const onItems: Record<string, Step> = {
  GetItem: { getItem: { TableName, Key } },
  PutItem: { putItem: { TableName, Item: Key } },
  UpdateItem: { updateItem: { TableName, Key, UpdateExpression: "REMOVE a" } },
  DeleteItem: { deleteItem: { TableName, Key } },
  Query: { query: { TableName, KeyConditionExpression: "pk = :p", ExpressionAttributeValues: { ":p": Key.pk } } },
  Scan: { scan: { TableName } },
  BatchGetItem: { batchGetItem: { RequestItems: { [TableName]: { Keys: [Key] } } } },
  BatchWriteItem: { batchWriteItem: { RequestItems: { [TableName]: [{ PutRequest: { Item: Key } }] } } },
  TransactGetItems: { transactGetItems: { TransactItems: [{ Get: { TableName, Key } }] } },
  TransactWriteItems: { transactWriteItems: { TransactItems: [{ Put: { TableName, Item: Key } }] } },
  ExecuteStatement: { executeStatement: { Statement: `SELECT * FROM "${TableName}" WHERE pk = 'p'` } },
};

/** The requests on tables. */
const onTables: Record<string, Step> = {
  DescribeTable: { describeTable: { TableName } },
  DeleteTable: { deleteTable: { TableName } },
  UpdateTable: { updateTable: { TableName, DeletionProtectionEnabled: false } },
  DescribeTimeToLive: { describeTimeToLive: { TableName } },
  UpdateTimeToLive: { updateTimeToLive: { TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: "ttl" } } },
};

export const unknownTableCases: readonly PortCase[] = cases({ source: "public conformance suites" }, [
  ...Object.entries({ ...onItems, ...onTables }).map(
    ([operation, step]): Row => ({
      name: `${operation} of an unknown table is rejected with ResourceNotFoundException`,
      source: "AWS: API reference, errors of the operation",
      ...step,
      rejected: "ResourceNotFoundException",
    }),
  ),
  {
    name: "An unknown table is rejected in the same words by every call that works with items",
    gap: "rejects with other words",
    steps: Object.values(onItems).map((step) => ({
      ...step,
      rejected: "ResourceNotFoundException: Requested resource not found",
    })),
  },
  {
    name: "A malformed request for an unknown table is a ValidationException: syntax comes first",
    gap: "checks the table first",
    steps: [
      { scan: { TableName, FilterExpression: "a = :undefined" }, rejected: "" },
      { getItem: { TableName, Key, ProjectionExpression: "!!" }, rejected: "" },
    ],
  },
]);
