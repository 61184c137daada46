import { DynamoDB, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBStreams } from "@aws-sdk/client-dynamodb-streams";
import type { TablekeepError } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { fakeClock } from "@tablekeep/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sdkClient, sdkStreamsClient } from "./sdk-client.ts";

const TableName = "things";
const transactionMs = 60_000;
const clock = fakeClock();
let engine: Engine;

beforeAll(async () => {
  engine = await openEngine({ storage: { kind: "memory" }, clock, behavior: { transactionMs } });
  await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" },
  });
});
afterAll(async () => {
  // The engine completes what its callers no longer wait for.
  const closed = engine.close();
  await clock.advance(transactionMs);
  await closed;
});

const failed = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => {
      throw new Error("was accepted");
    },
    (error: unknown) => error as Error,
  );

test("aborted calls and missed deadlines have the names of the SDK's transport", async () => {
  const client = await sdkClient(engine);
  const write = (pk: string) =>
    new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item: { pk: { S: pk } } } }] });
  const before = await failed(client.send(write("a"), { abortSignal: AbortSignal.abort() }));
  const stop = new AbortController();
  const during = failed(client.send(write("b"), { abortSignal: stop.signal }));
  stop.abort();
  const late = failed(client.send(write("c"), { requestTimeout: 20 }));
  await clock.advance(20);
  const errors = [before, await during, await late];
  expect(errors.map(({ name }) => name)).toEqual(["AbortError", "AbortError", "TimeoutError"]);
  expect(errors.map(({ cause }) => (cause as TablekeepError).code)).toEqual([
    "ENGINE_ABORTED",
    "ENGINE_ABORTED",
    "ENGINE_DEADLINE_EXCEEDED",
  ]);
});

test("a client has a method for each operation, as libraries such as dynamoose require", async () => {
  const client = await sdkClient(engine);
  expect(client).toBeInstanceOf(DynamoDB);
  const Item = { pk: { S: "method" } };
  await new Promise<void>((resolve, reject) => {
    client.putItem({ TableName, Item }, (error: unknown) => (error ? reject(error as Error) : resolve()));
  });
  expect(await client.getItem({ TableName, Key: Item })).toMatchObject({ Item });
  await expect(client.getItem({ TableName: "absent", Key: Item })).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });

  const streams = await sdkStreamsClient(engine);
  expect(streams).toBeInstanceOf(DynamoDBStreams);
  expect((await streams.listStreams({ TableName })).Streams).toMatchObject([{ TableName }]);
});
