import { randomUUID } from "node:crypto";
import {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  TransactionCanceledException,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocument,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  paginateQuery,
  QueryCommand,
  ScanCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { DynamoPort } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { sdkClient } from "./sdk-client.ts";
import { sdkPort } from "./sdk-port.ts";

const endpoint = inject("dynamoDbLocal");
const TableName = `documents-${randomUUID().slice(0, 8)}`;

/** DynamoDB Local through the SDK and through a port: the same calls must return the same. */
const clients = {
  "the SDK on its own": async (real: DynamoDBClient) => real,
  "sdkClient over the sdk port": async (real: DynamoDBClient) => sdkClient(portOver(real)),
};

let port: DynamoPort | undefined;

function portOver(real: DynamoDBClient): DynamoPort {
  port = sdkPort(real, { deadlineMs: 60_000 });
  return port;
}

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
  binaries: new Set([new Uint8Array([1]), new Uint8Array([2])]),
  list: [1, "two", [3, { four: null }]],
  map: { deep: { deeper: [new Set(["x"])] } },
};

describe.skipIf(endpoint === "").each(Object.entries(clients))("Document client: %s", (_, open) => {
  const real = new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
  let documents: DynamoDBDocumentClient;
  let partition = "";

  beforeAll(async () => {
    const client = await open(real);
    documents = DynamoDBDocumentClient.from(client);
    partition = randomUUID();
    await client.send(
      new CreateTableCommand({
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
      }),
    );
    await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName });
  });

  afterAll(async () => {
    await documents.send(new DeleteTableCommand({ TableName }));
    await port?.close();
    real.destroy();
  });

  test("returns every kind of value unchanged", async () => {
    const Item = { pk: partition, sk: 1, ...everyKind };
    await documents.send(new PutCommand({ TableName, Item }));
    const { Item: back } = await documents.send(new GetCommand({ TableName, Key: { pk: partition, sk: 1 } }));
    const binaries: unknown = back?.["binaries"];
    if (!(binaries instanceof Set)) throw new Error("not a set");
    expect({ ...back, binaries: undefined }).toEqual({ ...Item, binaries: undefined });
    const bytes = [...(binaries as Set<Uint8Array>)].map((each) => [...each]);
    expect(bytes.sort()).toEqual([[1], [2]]);
  });

  test("conditions, updates and deletes", async () => {
    const Key = { pk: partition, sk: 2 };
    await documents.send(new PutCommand({ TableName, Item: { ...Key, n: 1 } }));
    const error = await documents
      .send(
        new PutCommand({
          TableName,
          Item: Key,
          ConditionExpression: "attribute_not_exists(pk)",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      )
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    expect(error).toMatchObject({
      Item: { pk: { S: partition }, sk: { N: "2" }, n: { N: "1" } },
      $metadata: { httpStatusCode: 400 },
      message: "The conditional request failed",
    });
    const updated = await documents.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: "ADD n :two SET tags = :tags",
        ExpressionAttributeValues: { ":two": 2, ":tags": new Set(["x"]) },
        ReturnValues: "ALL_NEW",
      }),
    );
    expect(updated.Attributes).toEqual({ ...Key, n: 3, tags: new Set(["x"]) });
    const deleted = await documents.send(new DeleteCommand({ TableName, Key, ReturnValues: "ALL_OLD" }));
    expect(deleted.Attributes?.["n"]).toBe(3);
  });

  test("batches, queries with pages, and scans", async () => {
    const pk = `${partition}-many`;
    const items = Array.from({ length: 10 }, (_each, sk) => ({ pk, sk, v: new Uint8Array([sk]) }));
    const requests = items.map((Item) => ({ PutRequest: { Item } }));
    const written = await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
    expect(written.UnprocessedItems).toEqual({});

    const query = {
      TableName,
      KeyConditionExpression: "pk = :pk AND sk < :end",
      ExpressionAttributeValues: { ":pk": pk, ":end": 8 },
    };
    const page = await documents.send(new QueryCommand({ ...query, Limit: 3 }));
    expect(page).toMatchObject({ Count: 3, LastEvaluatedKey: { pk, sk: 2 } });
    const found: unknown[] = [];
    for await (const each of paginateQuery({ client: documents, pageSize: 3 }, query))
      found.push(...(each.Items ?? []));
    expect(found).toEqual(items.slice(0, 8));

    const got = await documents.send(
      new BatchGetCommand({
        RequestItems: { [TableName]: { Keys: items.slice(0, 2).map(({ sk }) => ({ pk, sk })) } },
      }),
    );
    expect(got.Responses?.[TableName]).toHaveLength(2);
    const scanned = await documents.send(
      new ScanCommand({ TableName, FilterExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk } }),
    );
    expect(scanned.Count).toBe(10);
  });

  test("transactions, and why one was cancelled", async () => {
    const Item = { pk: partition, sk: 3, n: 1 };
    const once = { Put: { TableName, Item, ConditionExpression: "attribute_not_exists(pk)" } };
    await documents.send(new TransactWriteCommand({ TransactItems: [once] }));
    const error = await documents
      .send(new TransactWriteCommand({ TransactItems: [once] }))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect(error).toMatchObject({ CancellationReasons: [{ Code: "ConditionalCheckFailed" }] });
    const Key = { pk: partition, sk: 3 };
    const { Responses } = await documents.send(
      new TransactGetCommand({ TransactItems: [{ Get: { TableName, Key } }] }),
    );
    expect(Responses).toEqual([{ Item }]);
  });

  test("statements", async () => {
    const { Items } = await documents.send(
      new ExecuteStatementCommand({
        Statement: `SELECT * FROM "${TableName}" WHERE pk = ? AND sk = ?`,
        Parameters: [partition, 3],
      }),
    );
    expect(Items).toEqual([{ pk: partition, sk: 3, n: 1 }]);
  });

  test("a table that is not there, and the full document client", async () => {
    const error = await documents
      .send(new GetCommand({ TableName: "not-there", Key: { pk: "a" } }))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ResourceNotFoundException);
    const full = DynamoDBDocument.from(await open(real), {
      marshallOptions: { removeUndefinedValues: true },
    });
    await full.put({ TableName, Item: { pk: partition, sk: 4, gone: undefined } });
    expect((await full.get({ TableName, Key: { pk: partition, sk: 4 } })).Item).toEqual({
      pk: partition,
      sk: 4,
    });
  });
});
