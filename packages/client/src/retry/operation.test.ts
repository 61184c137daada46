import type { DynamoPort, TransactWriteItem } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { rejection, type ScriptedReply, scriptedDynamo } from "../../test/scripted-dynamo.ts";
import { batchGet } from "../batch/batch-get.ts";
import { batchWrite } from "../batch/batch-write.ts";
import { httpPort } from "../http/http-port.ts";
import { transactGet } from "../transact/transact-get.ts";
import { transactWrite } from "../transact/transact-write.ts";
import { settleDelete } from "../write/settle-delete.ts";
import { settlePut } from "../write/settle-put.ts";
import { settleUpdate } from "../write/settle-update.ts";

const Key = { id: { S: "1" } };
/** Without jitter, waits take no time. */
const noWait = { random: () => 0 };
const marked = { ...noWait, writeIdAttribute: "wid" };
const put: TransactWriteItem = { Put: { TableName: "t", Item: Key } };
const onT = { ...noWait, keyNames: { t: ["id"] as const } };

/** Every operation that resends requests on top of a port, and the request that it resends. */
const operations: readonly [name: string, request: string, run: (port: DynamoPort) => Promise<unknown>][] = [
  [
    "settlePut",
    "PutItem",
    (port) =>
      settlePut(port, { TableName: "t", Item: Key }, { ...marked, keyNames: ["id"], insertOnly: true }),
  ],
  [
    "settleUpdate",
    "UpdateItem",
    (port) =>
      settleUpdate(
        port,
        { TableName: "t", Key, UpdateExpression: "SET a = b" },
        { ...marked, appliesAtMostOnce: true },
      ),
  ],
  [
    "settleDelete",
    "DeleteItem",
    (port) => settleDelete(port, { TableName: "t", Key }, { ...noWait, resendInDoubt: true }),
  ],
  ["transactWrite", "TransactWriteItems", (port) => transactWrite(port, [put], noWait)],
  ["transactGet", "TransactGetItems", (port) => transactGet(port, [{ TableName: "t", Key }], noWait)],
  ["batchWrite", "BatchWriteItem", (port) => batchWrite(port, [{ table: "t", put: Key }], onT)],
  ["batchGet", "BatchGetItem", (port) => batchGet(port, [{ table: "t", key: Key }], noWait)],
];

const canceled = rejection("TransactionCanceledException", "canceled", {
  CancellationReasons: [{ Code: "TransactionConflict" }],
});

/** The answers of a failing server, by the request. */
const failures: readonly [name: string, reply: (request: string) => ScriptedReply][] = [
  ["drops connections", () => "drop"],
  ["throttles", () => rejection("ThrottlingException", "slow down")],
  ["has internal errors", () => rejection("InternalServerError", "oops", {}, 500)],
  [
    "leaves batches unprocessed and cancels transactions",
    (request) => {
      if (request === "BatchWriteItem")
        return { json: { UnprocessedItems: { t: [{ PutRequest: { Item: Key } }] } } };
      if (request === "BatchGetItem") return { json: { UnprocessedKeys: { t: { Keys: [Key] } } } };
      return request.startsWith("Transact") ? canceled : rejection("ThrottlingException", "slow down");
    },
  ],
];

async function requestsSent(
  reply: (request: string) => ScriptedReply,
  run: (port: DynamoPort) => Promise<unknown>,
  limits: { maxAttempts?: number; retryBudget?: number },
): Promise<readonly string[]> {
  const nameOf = (headers: Readonly<Record<string, unknown>>) =>
    String(headers["x-amz-target"]).split(".")[1] as string;
  await using server = await scriptedDynamo(({ headers }) => reply(nameOf(headers)));
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  await using port = httpPort({ endpoint: server.url, credentials, random: () => 0, ...limits });
  await run(port).catch(() => undefined);
  return server.requests.map(({ headers }) => nameOf(headers));
}

describe.each(operations)("%s", (_, request, run) => {
  const own = (sent: readonly string[]) => sent.filter((name) => name === request).length;

  test.each(failures)(
    "sends its request as often as the port allows where the server %s",
    async (_name, reply) => {
      expect(own(await requestsSent(reply, run, {}))).toBe(10);
      expect(own(await requestsSent(reply, run, { maxAttempts: 3 }))).toBe(3);
      expect(own(await requestsSent(reply, run, { maxAttempts: 1 }))).toBe(1);
    },
  );

  test.each(failures)("spends the retry budget of the port where the server %s", async (_name, reply) => {
    // Enough for two retries after a response (5 tokens each), and for one after a lost one (10).
    const sent = own(await requestsSent(reply, run, { retryBudget: 10 }));
    expect(sent).toBe(reply(request) === "drop" ? 2 : 3);
    expect(own(await requestsSent(reply, run, { retryBudget: 0 }))).toBe(1);
  });
});

test("an operation that succeeds after a retry returns what the retry cost", async () => {
  let calls = 0;
  await using server = await scriptedDynamo(() =>
    calls++ % 2 === 0 ? canceled : { json: { Responses: [{}] } },
  );
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  await using port = httpPort({ endpoint: server.url, credentials, random: () => 0, retryBudget: 5 });
  for (let each = 0; each < 5; each++) await transactGet(port, [{ TableName: "t", Key }], noWait);
  expect(calls).toBe(10);
});
