import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  ResourceNotFoundException,
  TransactionCanceledException,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocument, paginateScan } from "@aws-sdk/lib-dynamodb";
import { sdkClient } from "@tablekeep/client";
import { type Engine, openEngine } from "@tablekeep/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const TableName = "documents";
let engine: Engine;
let documents: DynamoDBDocument;

beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" } });
  const client = await sdkClient(engine);
  documents = DynamoDBDocument.from(client, { marshallOptions: { removeUndefinedValues: true } });
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [
        { AttributeName: "owner", AttributeType: "S" },
        { AttributeName: "number", AttributeType: "N" },
      ],
      KeySchema: [
        { AttributeName: "owner", KeyType: "HASH" },
        { AttributeName: "number", KeyType: "RANGE" },
      ],
    }),
  );
  await waitUntilTableExists({ client, minDelay: 1, maxDelay: 1, maxWaitTime: 5 }, { TableName });
});
afterAll(() => engine.close());

const everyKind = {
  text: "ä€𝄞",
  empty: "",
  whole: 42,
  negative: -0.5,
  large: 12345678901234567890n,
  yes: true,
  nothing: null,
  bytes: new Uint8Array([0, 1, 255]),
  texts: new Set(["a", "b"]),
  numbers: new Set([1, 2]),
  list: [1, "two", [3, { four: null }]],
  map: { deep: { deeper: { deepest: "x" } } },
};

describe("the Document client of the AWS SDK on the engine", () => {
  test("stores and reads values of every kind", async () => {
    const Item = { owner: "kinds", number: 1, ...everyKind };
    await documents.put({ TableName, Item });
    const { Item: read } = await documents.get({ TableName, Key: { owner: "kinds", number: 1 } });
    expect(read).toEqual(Item);
  });

  test("updates, and returns what it changed", async () => {
    const { Attributes } = await documents.update({
      TableName,
      Key: { owner: "update", number: 1 },
      UpdateExpression: "SET #l = list_append(if_not_exists(#l, :none), :more) ADD visits :one",
      ExpressionAttributeNames: { "#l": "list" },
      ExpressionAttributeValues: { ":none": [], ":more": ["x"], ":one": 1 },
      ReturnValues: "ALL_NEW",
    });
    expect(Attributes).toEqual({ owner: "update", number: 1, list: ["x"], visits: 1 });
  });

  test("throws the SDK's own exceptions, with their members", async () => {
    const Item = { owner: "once", number: 1, author: "me" };
    const put = () =>
      documents.put({
        TableName,
        Item,
        ConditionExpression: "attribute_not_exists(#o)",
        ExpressionAttributeNames: { "#o": "owner" },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      });
    await put();
    const failed = await put().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ConditionalCheckFailedException);
    const TransactItems = [{ Put: { TableName, Item, ConditionExpression: "attribute_not_exists(author)" } }];
    const cancelled = await documents.transactWrite({ TransactItems }).catch((error: unknown) => error);
    expect(cancelled).toBeInstanceOf(TransactionCanceledException);
    expect((cancelled as TransactionCanceledException).CancellationReasons?.[0]?.Code).toBe(
      "ConditionalCheckFailed",
    );
    await expect(documents.get({ TableName: "nowhere", Key: { a: 1 } })).rejects.toBeInstanceOf(
      ResourceNotFoundException,
    );
  });

  test("writes and reads in batches and transactions, and pages through everything", async () => {
    const numbers = Array.from({ length: 20 }, (_, at) => at);
    const items = numbers.map((number) => ({ owner: "many", number, text: "x".repeat(number) }));
    await documents.batchWrite({
      RequestItems: { [TableName]: items.slice(0, 10).map((Item) => ({ PutRequest: { Item } })) },
    });
    await documents.transactWrite({
      TransactItems: items.slice(10).map((Item) => ({ Put: { TableName, Item } })),
    });
    const { Items } = await documents.query({
      TableName,
      KeyConditionExpression: "#o = :o",
      ExpressionAttributeNames: { "#o": "owner" },
      ExpressionAttributeValues: { ":o": "many" },
    });
    expect(Items).toEqual(items);
    const Keys = items.map(({ owner, number }) => ({ owner, number }));
    const got = await documents.batchGet({ RequestItems: { [TableName]: { Keys } } });
    expect(got.Responses?.[TableName]).toHaveLength(20);
    const together = await documents.transactGet({
      TransactItems: Keys.map((Key) => ({ Get: { TableName, Key } })),
    });
    expect(together.Responses?.map(({ Item }) => Item)).toEqual(items);
    const scanned: unknown[] = [];
    for await (const page of paginateScan({ client: documents, pageSize: 3 }, { TableName })) {
      scanned.push(...(page.Items ?? []));
    }
    expect(scanned.length).toBeGreaterThanOrEqual(20);
    const { Items: selected } = await documents.executeStatement({
      Statement: `SELECT number FROM "${TableName}" WHERE owner = ? AND number < ?`,
      Parameters: ["many", 2],
    });
    expect(selected).toEqual([{ number: 0 }, { number: 1 }]);
  });
});
