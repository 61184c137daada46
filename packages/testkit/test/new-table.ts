import { randomUUID } from "node:crypto";
import type { DynamoPort, Item } from "@tablekeep/core";

/** Creates a table with partition key `pk` (S) and sort key `sk` (S or N), and an index `by-g` on `g` (S). */
export async function newTable(port: DynamoPort, sortKey: "S" | "N" = "S"): Promise<string> {
  const TableName = `testkit-${randomUUID()}`;
  await port.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: sortKey },
      { AttributeName: "g", AttributeType: "S" },
    ],
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by-g",
        KeySchema: [{ AttributeName: "g", KeyType: "HASH" }],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  });
  return TableName;
}

/** Every item of a table, straight from `port`, in key order. */
export async function allItems(port: DynamoPort, TableName: string): Promise<Item[]> {
  const { Items = [] } = await port.scan({ TableName, ConsistentRead: true });
  const place = (item: Item) => `${item["pk"]?.S} ${item["sk"]?.S ?? item["sk"]?.N?.padStart(9, "0")}`;
  return Items.sort((a, b) => (place(a) < place(b) ? -1 : 1));
}
