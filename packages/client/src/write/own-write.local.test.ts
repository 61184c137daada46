import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { DynamoPort, Key, Outcome } from "@tablekeep/core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { answer, type LoopbackServer, loopbackServer, type SeenRequest } from "../../test/loopback-server.ts";
import { writeWorld } from "../../test/write-world.ts";
import { httpPort } from "../http/http-port.ts";
import { sdkPort } from "../sdk/sdk-port.ts";
import { transactWrite } from "../transact/transact-write.ts";
import { settleDelete } from "./settle-delete.ts";
import { settlePut } from "./settle-put.ts";
import { settleUpdate } from "./settle-update.ts";

const endpoint = inject("dynamoDbLocal");
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

// A conditional write is applied, the connection ends before its answer, and the retry meets its own success. The AWS
// SDK calls that a ConditionalCheckFailedException.
describe.skipIf(endpoint === "")("a write whose answer is lost on the wire, on DynamoDB Local", () => {
  const world = writeWorld(endpoint);
  let relay: LoopbackServer;
  let answersToDrop = 0;
  beforeAll(async () => {
    relay = await loopbackServer(async (request, response) => {
      const { body, status } = await forward(request);
      if (/^(Put|Update|Delete|TransactWrite)/.test(request.operation) && answersToDrop-- > 0)
        response.socket?.destroy();
      else answer(response, body, status);
    });
  });
  afterAll(() => relay.close());

  async function forward({ headers, text }: SeenRequest): Promise<{ body: unknown; status: number }> {
    const { host: _, connection: __, "content-length": ___, "transfer-encoding": ____, ...kept } = headers;
    const reply = await fetch(endpoint, { method: "POST", headers: kept as never, body: text });
    return { body: await reply.json(), status: reply.status };
  }

  const ports: [string, () => { port: DynamoPort; close: () => Promise<void> }][] = [
    [
      "http port",
      () => {
        const port = httpPort({ endpoint: relay.url, credentials });
        return { port, close: () => port.close() };
      },
    ],
    [
      "sdk port",
      () => {
        const client = new DynamoDBClient({ endpoint: relay.url, region: "us-east-1", credentials });
        const port = sdkPort(client);
        return { port, close: () => port.close().then(() => client.destroy()) };
      },
    ],
  ];
  const marked = { writeIdAttribute: "wid" };
  const keyNames = ["pk", "sk"] as const;
  const condition = {
    ConditionExpression: "version = :one",
    ExpressionAttributeValues: { ":one": { N: "1" } },
  };
  const put = (port: DynamoPort, Item: Key) =>
    settlePut(port, { TableName: world.table, Item }, { ...marked, keyNames, insertOnly: true });
  const update = (port: DynamoPort, Key: Key) =>
    settleUpdate(
      port,
      { TableName: world.table, Key, UpdateExpression: "ADD version :one", ...condition },
      { ...marked, appliesAtMostOnce: true },
    );
  const remove = (port: DynamoPort, Key: Key) =>
    settleDelete(port, { TableName: world.table, Key, ...condition }, { treatMissingAsDeleted: true });
  const transact = (port: DynamoPort, Item: Key) =>
    transactWrite(
      port,
      [{ Put: { TableName: world.table, Item, ConditionExpression: "attribute_not_exists(pk)" } }],
      { writeId: { attribute: "wid", keyNames: { [world.table]: keyNames }, insertOnly: true } },
    );
  const writes: [
    string,
    boolean,
    (port: DynamoPort, key: Key) => Promise<Outcome<unknown>>,
    string | undefined,
  ][] = [
    ["settlePut", false, put, undefined],
    ["settleUpdate", true, update, "2"],
    ["settleDelete", true, remove, undefined],
    ["transactWrite", false, transact, undefined],
  ];

  for (const [portName, open] of ports) {
    test.each(writes)(
      `%s through the ${portName} is ok, and applied once`,
      async (name, needsItem, write, version) => {
        for (const drops of [0, 1, 2]) {
          const Key = world.newKey();
          if (needsItem) await world.put(Key, { version: { N: "1" } });
          const { port, close } = open();
          answersToDrop = drops;
          const outcome = await write(port, Key);
          answersToDrop = 0;
          await close();
          expect(outcome.kind, `${drops} answers lost`).toBe("ok");
          const stored = await world.read(Key);
          if (name === "settleDelete") expect(stored).toBeUndefined();
          else expect(stored).toMatchObject({ wid: {}, ...(version && { version: { N: version } }) });
        }
      },
    );
  }
});
