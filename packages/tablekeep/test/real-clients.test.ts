/** Third-party clients: the AWS SDK with its Document client, boto3 and the AWS CLI. The last two if they are installed. */
import { execFile, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  paginateQuery,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, describe, expect, test } from "vitest";
import { startDynamoDb } from "../src/server/dynamodb/start-dynamodb.ts";
import { call } from "./wire/raw-dynamodb.ts";

const run = promisify(execFile);
const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasBoto3 = works("python3", "-c", "import boto3");
const hasAwsCli = works("aws", "--version");

const [accessKeyId, secretAccessKey] = ["AKIDEXAMPLE", "secret/with+odd=characters"];
const server = await startDynamoDb({ port: 0, accessKeys: { [accessKeyId]: secretAccessKey } });
const open = await startDynamoDb({ port: 0 });
afterAll(() => Promise.all([server.stop(), open.stop()]));

test("the Document client reads, writes, updates, pages and receives the reasons of a canceled transaction", async () => {
  await call(open.endpoint, "CreateTable", {
    TableName: "documents",
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    AttributeDefinitions: [
      { AttributeName: "pk", AttributeType: "S" },
      { AttributeName: "sk", AttributeType: "N" },
    ],
    BillingMode: "PAY_PER_REQUEST",
  });
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  const bare = new DynamoDBClient({ endpoint: open.endpoint, region: "us-east-1", credentials });
  const client = DynamoDBDocumentClient.from(bare);
  const document = (sk: number) => ({
    pk: "a",
    sk,
    parts: [1, "two", null, { three: true }],
    bytes: new Uint8Array([0, 255]),
  });
  const puts = Array.from({ length: 25 }, (_unused, sk) => ({ PutRequest: { Item: document(sk) } }));
  await client.send(new BatchWriteCommand({ RequestItems: { documents: puts } }));
  const { Item } = await client.send(new GetCommand({ TableName: "documents", Key: { pk: "a", sk: 7 } }));
  expect(Item).toEqual(document(7));
  const { Attributes } = await client.send(
    new UpdateCommand({
      TableName: "documents",
      Key: { pk: "a", sk: 7 },
      UpdateExpression: "SET parts[0] = parts[0] + :one",
      ExpressionAttributeValues: { ":one": 1 },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  expect(Attributes).toEqual({ parts: [2] });
  let count = 0;
  const query = {
    TableName: "documents",
    KeyConditionExpression: "pk = :a",
    ExpressionAttributeValues: { ":a": "a" },
  };
  for await (const page of paginateQuery({ client, pageSize: 4 }, query)) count += page.Count ?? 0;
  expect(count).toBe(25);
  const transaction = new TransactWriteCommand({
    TransactItems: [
      { Put: { TableName: "documents", Item: { pk: "b", sk: 1 } } },
      {
        ConditionCheck: {
          TableName: "documents",
          Key: { pk: "none", sk: 1 },
          ConditionExpression: "attribute_exists(pk)",
        },
      },
    ],
  });
  await expect(client.send(transaction)).rejects.toMatchObject({
    name: "TransactionCanceledException",
    CancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed" }],
  });
  client.destroy();
});

describe("boto3 (needs python3 with boto3)", () => {
  test.skipIf(!hasBoto3)(
    "tables, items, conditions, transactions, PartiQL, pages and streams, with signatures",
    async () => {
      const session = fileURLToPath(new URL("./real-clients/boto3-session.py", import.meta.url));
      const { stdout } = await run("python3", [session, server.endpoint, accessKeyId, secretAccessKey]);
      expect(stdout).toBe("ok\n");
    },
  );
});

describe("the AWS CLI (needs aws)", () => {
  const env = {
    ...process.env,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_PAGER: "",
  };
  const aws = async (...words: string[]) =>
    (await run("aws", ["dynamodb", "--endpoint-url", server.endpoint, "--output", "json", ...words], { env }))
      .stdout;

  test.skipIf(!hasAwsCli)(
    "creates a table, waits for it, puts, gets, and reports what is rejected",
    async () => {
      const table = ["--table-name", "things"];
      const schema = ["--key-schema", "AttributeName=id,KeyType=HASH", "--billing-mode", "PAY_PER_REQUEST"];
      const attributes = ["--attribute-definitions", "AttributeName=id,AttributeType=S"];
      await aws("create-table", ...table, ...schema, ...attributes);
      await aws("wait", "table-exists", ...table);
      await aws("put-item", ...table, "--item", '{"id":{"S":"1"},"n":{"N":"2"}}');
      const got = await aws("get-item", ...table, "--key", '{"id":{"S":"1"}}');
      expect(JSON.parse(got)).toEqual({ Item: { id: { S: "1" }, n: { N: "2" } } });
      await expect(aws("put-item", ...table, "--item", '{"id":{"N":"1"}}')).rejects.toThrow(
        /ValidationException.*Type mismatch for key id expected: S actual: N/,
      );
      await aws("delete-table", ...table);
    },
  );
});
