import type { ConsumedCapacity, DynamoPort } from "@tablekeep/core";
import { expect, test } from "vitest";
import { openEngine } from "../engine.ts";

const TableName = "orders";
const S = (value: string) => ({ S: value });

/** A table with an index, whose entries cost units too. */
async function createOrders(port: DynamoPort, name = TableName): Promise<void> {
  await port.createTable({
    TableName: name,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "id", AttributeType: "S" },
      { AttributeName: "status", AttributeType: "S" },
    ],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by-status",
        KeySchema: [{ AttributeName: "status", KeyType: "HASH" }],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  });
}

type Reported = { readonly ConsumedCapacity?: ConsumedCapacity | readonly ConsumedCapacity[] };
type Asked = { readonly ReturnConsumedCapacity?: "TOTAL" };

/** One request of each operation that costs units. */
const requests: readonly (readonly [
  kind: "read" | "write",
  send: (port: DynamoPort, asked: Asked) => Promise<Reported>,
])[] = [
  [
    "write",
    (port, asked) =>
      port.putItem({
        TableName,
        Item: { id: S("1"), status: S("open"), note: S("x".repeat(3000)) },
        ...asked,
      }),
  ],
  [
    "write",
    (port, asked) =>
      port.updateItem({
        TableName,
        Key: { id: S("1") },
        UpdateExpression: "SET #s = :s",
        ExpressionAttributeNames: { "#s": "status" },
        ExpressionAttributeValues: { ":s": S("closed") },
        ...asked,
      }),
  ],
  ["read", (port, asked) => port.getItem({ TableName, Key: { id: S("1") }, ...asked })],
  ["read", (port, asked) => port.getItem({ TableName, Key: { id: S("1") }, ConsistentRead: true, ...asked })],
  ["read", (port, asked) => port.scan({ TableName, ...asked })],
  [
    "read",
    (port, asked) =>
      port.query({
        TableName,
        IndexName: "by-status",
        KeyConditionExpression: "#s = :s",
        ExpressionAttributeNames: { "#s": "status" },
        ExpressionAttributeValues: { ":s": S("closed") },
        ...asked,
      }),
  ],
  [
    "write",
    (port, asked) =>
      port.batchWriteItem({
        RequestItems: {
          [TableName]: [
            { PutRequest: { Item: { id: S("2") } } },
            { PutRequest: { Item: { id: S("3"), status: S("open") } } },
          ],
        },
        ...asked,
      }),
  ],
  [
    "read",
    (port, asked) =>
      port.batchGetItem({
        RequestItems: { [TableName]: { Keys: [{ id: S("1") }, { id: S("2") }] } },
        ...asked,
      }),
  ],
  [
    "write",
    (port, asked) =>
      port.transactWriteItems({ TransactItems: [{ Put: { TableName, Item: { id: S("4") } } }], ...asked }),
  ],
  [
    "read",
    (port, asked) =>
      port.transactGetItems({ TransactItems: [{ Get: { TableName, Key: { id: S("1") } } }], ...asked }),
  ],
  [
    "write",
    (port, asked) =>
      port.executeStatement({ Statement: `INSERT INTO "${TableName}" VALUE {'id':'5'}`, ...asked }),
  ],
  ["read", (port, asked) => port.executeStatement({ Statement: `SELECT * FROM "${TableName}"`, ...asked })],
  [
    "write",
    (port, asked) =>
      port.batchExecuteStatement({
        Statements: [{ Statement: `DELETE FROM "${TableName}" WHERE id='5'` }],
        ...asked,
      }),
  ],
  [
    "read",
    (port, asked) =>
      port.executeTransaction({
        TransactStatements: [{ Statement: `SELECT * FROM "${TableName}" WHERE id='1'` }],
        ...asked,
      }),
  ],
  ["write", (port, asked) => port.deleteItem({ TableName, Key: { id: S("1") }, ...asked })],
];

test("the units used of a table are those that requests report, whether they were requested or not", async () => {
  await using reporting = await openEngine({ storage: { kind: "memory" } });
  await using silent = await openEngine({ storage: { kind: "memory" } });
  await createOrders(reporting);
  await createOrders(silent);
  const units = { read: 0, write: 0 };
  for (const [kind, send] of requests) {
    const { ConsumedCapacity } = await send(reporting, { ReturnConsumedCapacity: "TOTAL" });
    await send(silent, {});
    for (const { CapacityUnits = 0 } of [ConsumedCapacity ?? []].flat()) units[kind] += CapacityUnits;
    const expected = { readUnits: units.read, writeUnits: units.write };
    expect(reporting.use()[TableName]).toMatchObject(expected);
    expect(silent.use()[TableName]).toMatchObject(expected);
  }
  expect(units.read).toBeGreaterThan(0);
  expect(units.write).toBeGreaterThan(0);
});

test("requests and failures are counted by table, and a name without a table is not kept", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await createOrders(engine);
  const before = engine.use()[TableName]?.requests ?? 0;
  await engine.putItem({ TableName, Item: { id: S("1") } });
  await engine.execute("PutItem", { TableName, Item: { id: S("2") } });
  await expect(
    engine.putItem({ TableName, Item: { id: S("1") }, ConditionExpression: "attribute_not_exists(id)" }),
  ).rejects.toMatchObject({ code: "DYNAMO_CONDITIONAL_CHECK_FAILED" });
  await expect(engine.scan({ TableName: "absent" })).rejects.toMatchObject({
    code: "DYNAMO_RESOURCE_NOT_FOUND",
  });
  expect(engine.use()).toEqual({
    [TableName]: { requests: before + 3, failures: 1, readUnits: 0, writeUnits: 2 },
  });
});

test("a changed table keeps its counts, and one that is created again begins at 0", async () => {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await createOrders(engine);
  const checkpoint = await engine.checkpoint();
  await engine.putItem({ TableName, Item: { id: S("1") } });
  await engine.updateTable({ TableName, DeletionProtectionEnabled: false });
  expect(engine.use()[TableName]?.writeUnits).toBe(1);
  await engine.restore(checkpoint);
  expect(engine.use()[TableName]?.writeUnits).toBe(1);
  await engine.deleteTable({ TableName });
  await createOrders(engine);
  expect(engine.use()[TableName]?.writeUnits).toBe(0);
});
