import { randomUUID } from "node:crypto";
import type { DynamoPort } from "@tablekeep/core";

/** A new table with partition key `pk` (S) and sort key `sk` (N); DynamoDB Local has it ready at once. */
export async function createTestTable(port: DynamoPort): Promise<string> {
  const TableName = `client-${randomUUID().slice(0, 13)}`;
  await port.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "N" },
    ],
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
  });
  return TableName;
}
