import { describe, expect, test } from "vitest";
import { rejection, scriptedDynamo } from "../../test/scripted-dynamo.ts";
import type { BatchWriteEntry } from "../base/client-error.ts";
import { itemId } from "../base/key-names.ts";
import { httpPort } from "../http/http-port.ts";
import { startOperation } from "../retry/operation.ts";
import { batchGetParams, stillUnread } from "./get-one-batch.ts";
import { batchWriteParams, stillPending, type WriteSlot, writeOneBatch } from "./write-one-batch.ts";

const key = (n: string) => ({ pk: { S: "a" }, sk: { N: n } });
const slot = (entry: BatchWriteEntry): WriteSlot => {
  const { pk, sk } = (entry.put ?? entry.delete) as ReturnType<typeof key>;
  const identity = itemId(entry.table, { pk, sk });
  return { entry, table: entry.table, identity, wireBytes: 1, ...(entry.put && { keyNames: ["pk", "sk"] }) };
};
const put = slot({ table: "t", put: { ...key("1"), v: { S: "x" } } });
const gone = slot({ table: "t", delete: key("2") });
const other = slot({ table: "u", put: key("1") });

describe("a batch of writes", () => {
  test("is one request for all its tables", () => {
    expect(batchWriteParams([put, other, gone])).toEqual({
      RequestItems: {
        t: [{ PutRequest: { Item: put.entry.put } }, { DeleteRequest: { Key: key("2") } }],
        u: [{ PutRequest: { Item: key("1") } }],
      },
    });
  });

  test.each(["constructor", "valueOf", "__proto__"])("accepts a table called %s", (table) => {
    const write = slot({ table, put: key("1") });
    const { RequestItems = {} } = batchWriteParams([write, write]);
    expect(Object.entries(RequestItems)).toEqual([
      [table, [{ PutRequest: { Item: key("1") } }, { PutRequest: { Item: key("1") } }]],
    ]);
    const asked = { entry: { table, key: key("1") }, table, identity: "1" };
    const { RequestItems: reads = {} } = batchGetParams([asked], { consistent: false });
    expect(Object.entries(reads)).toEqual([[table, { Keys: [key("1")] }]]);
  });

  test("recognizes returned entries by their keys, in any form", () => {
    const sent = [put, gone, other];
    expect(stillPending(sent, {})).toEqual([]);
    const normalized = { v: { S: "x" }, sk: { N: "1.0" }, pk: { S: "a" } };
    expect(stillPending(sent, { t: [{ PutRequest: { Item: normalized } }] })).toEqual([put]);
    expect(stillPending(sent, { t: [{ DeleteRequest: { Key: key("2") } }], u: [] })).toEqual([gone]);
    expect(stillPending(sent, batchWriteParams(sent).RequestItems ?? {})).toEqual(sent);
  });

  test("if something comes back that was not sent, all is sent again rather than one lost", () => {
    expect(stillPending([put, gone], { t: [{ DeleteRequest: { Key: key("7") } }] })).toEqual([put, gone]);
    expect(stillPending([put, gone], { t: [{}] })).toEqual([put, gone]);
  });

  test.each([
    ["a lost answer", "drop", "unknown"],
    ["throttling", rejection("ThrottlingException", "slow"), "undone"],
  ] as const)("reports the fate of the rest after %s within the port", async (_, first, fate) => {
    // The port resends automatically; what the second answer leaves unprocessed may have been written by the first attempt.
    await using server = await scriptedDynamo(({ number, body }) => {
      if (number === 1) return first;
      if (number > 2) return rejection("AccessDeniedException", "no more");
      const { t } = body["RequestItems"] as { t: unknown[] };
      return { json: { UnprocessedItems: { t: t.slice(1) } } };
    });
    await using port = httpPort({
      endpoint: server.url,
      credentials: { accessKeyId: "any", secretAccessKey: "any" },
      random: () => 0,
    });
    const retries: number[] = [];
    const run = startOperation({ random: () => 0, onRetry: (attempt) => retries.push(attempt) });
    const progress = await writeOneBatch(port, [put, gone], run);
    const left = { undone: [], unknown: [], [fate]: [gone.entry] };
    expect(progress).toMatchObject({ done: [put.entry], ...left });
    expect(retries).toEqual([2]);
  });
});

test("a batch that DynamoDB leaves unprocessed ends with how much is left", async () => {
  await using server = await scriptedDynamo(({ body }) => {
    const { t } = body["RequestItems"] as { t: unknown[] };
    return { json: { UnprocessedItems: { t: t.slice(-1) } } };
  });
  const credentials = { accessKeyId: "any", secretAccessKey: "any" };
  await using port = httpPort({ endpoint: server.url, credentials, random: () => 0 });
  const run = startOperation({ random: () => 0 });
  expect(await writeOneBatch(port, [put, gone], run)).toMatchObject({
    done: [put.entry],
    undone: [gone.entry],
    failure: { code: "CLIENT_UNPROCESSED", kind: "throttled", retryable: true, details: { left: 1, of: 2 } },
  });
});

describe("a batch of reads", () => {
  const read = (table: string, n: string) => ({
    entry: { table, key: key(n) },
    table,
    identity: itemId(table, key(n)),
    wireBytes: 1,
  });
  const [one, two, elsewhere] = [read("t", "1"), read("t", "2"), read("u", "1")];

  test("requests the keys of each table, and always the key attributes", () => {
    expect(batchGetParams([one, elsewhere, two], { consistent: false })).toEqual({
      RequestItems: { t: { Keys: [key("1"), key("2")] }, u: { Keys: [key("1")] } },
    });
    expect(batchGetParams([one], { consistent: true, attributes: ["name", "sk"] })).toEqual({
      RequestItems: {
        t: {
          Keys: [key("1")],
          ConsistentRead: true,
          ProjectionExpression: "#a0, #a1, #a2",
          ExpressionAttributeNames: { "#a0": "pk", "#a1": "sk", "#a2": "name" },
        },
      },
    });
  });

  test("if a key comes back that was not sent, all are read again", () => {
    const sent = [one, two, elsewhere];
    expect(stillUnread(sent, {})).toEqual([]);
    expect(stillUnread(sent, { t: { Keys: [{ sk: { N: "2.0" }, pk: { S: "a" } }] } })).toEqual([two]);
    expect(stillUnread(sent, { t: { Keys: [key("9")] } })).toEqual(sent);
  });
});
