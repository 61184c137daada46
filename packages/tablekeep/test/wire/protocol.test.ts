import { crc32, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startDynamoDb } from "../../src/server/dynamodb/start-dynamodb.ts";
import { call, send, target } from "./raw-dynamodb.ts";

const server = await startDynamoDb({ port: 0 });
const { endpoint } = server;
afterAll(() => server.stop());

const table = {
  TableName: "things",
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  BillingMode: "PAY_PER_REQUEST",
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
};
beforeAll(async () => {
  expect((await call(endpoint, "CreateTable", table)).status).toBe(200);
  const isActive = async () => {
    const { Table } = (await call(endpoint, "DescribeTable", { TableName: "things" })).json();
    return (Table as { TableStatus: string }).TableStatus === "ACTIVE";
  };
  await vi.waitUntil(isActive, 120_000);
});

const item = { id: { S: "häß🙂" }, bytes: { B: "AP8=" }, list: { L: [{ N: "1.50" }, { NULL: true }] } };

describe("an answer", () => {
  test("has the checksum of its bytes, its length, its type and a unique request id", async () => {
    await call(endpoint, "PutItem", { TableName: "things", Item: item });
    const get = () => call(endpoint, "GetItem", { TableName: "things", Key: { id: item.id } });
    const [first, second] = [await get(), await get()];
    expect(first.json()).toEqual({ Item: { ...item, list: { L: [{ N: "1.5" }, { NULL: true }] } } });
    expect(first.headers["x-amz-crc32"]).toBe(String(crc32(first.body)));
    expect(first.headers["content-length"]).toBe(String(first.body.length));
    expect(first.headers["content-type"]).toBe("application/x-amz-json-1.0");
    expect(first.headers["x-amzn-requestid"]).toMatch(/^[0-9A-Z]{52}$/);
    expect(second.headers["x-amzn-requestid"]).not.toBe(first.headers["x-amzn-requestid"]);
  });

  test("to a rejected request has them too", async () => {
    const rejected = await call(endpoint, "GetItem", { TableName: "none-such", Key: { id: { S: "1" } } });
    expect(rejected.status).toBe(400);
    expect(rejected.headers["x-amz-crc32"]).toBe(String(crc32(rejected.body)));
    expect(rejected.headers["x-amzn-requestid"]).toMatch(/^[0-9A-Z]{52}$/);
    expect(rejected.json()).toEqual({
      __type: "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
      message: "Requested resource not found",
    });
  });

  test("to DescribeEndpoints names the address that the client used", async () => {
    const { host, port } = new URL(endpoint);
    const addressOf = async (headers: { host?: string } = {}) =>
      (await call(endpoint, "DescribeEndpoints", {}, headers)).json();
    const answer = (Address: string) => ({ Endpoints: [{ Address, CachePeriodInMinutes: 1440 }] });
    expect(await addressOf()).toEqual(answer(host));
    expect(await addressOf({ host: `localhost:${port}` })).toEqual(answer(`localhost:${port}`));
    const rejected = await call(endpoint, "DescribeEndpoints", []);
    expect(rejected.json()["__type"]).toBe("com.amazon.coral.service#SerializationException");
  });

  test("to a path other than / is an unknown operation", async () => {
    for (const path of ["foo", "/", "foo/bar?x=/"]) {
      expect((await send(`${endpoint}${path}`, target("ListTables"), "{}")).status, path).toBe(404);
    }
    expect((await send(`${endpoint}?x=/y`, target("ListTables"), "{}")).status).toBe(200);
  });

  test("to an unsupported operation suggests an alternative", async () => {
    const rejected = await call(endpoint, "CreateBackup", { TableName: "things", BackupName: "b" });
    expect([rejected.status, rejected.json()]).toEqual([
      400,
      {
        __type: "com.amazon.coral.service#UnknownOperationException",
        message: expect.stringMatching(/^Tablekeep: CreateBackup\b.*dump the table/),
      },
    ]);
  });

  test("has dates as seconds", async () => {
    const { Table } = (await call(endpoint, "DescribeTable", { TableName: "things" })).json() as {
      Table: { CreationDateTime: number };
    };
    expect(Table.CreationDateTime).toBeGreaterThan(Date.UTC(2020) / 1000);
    expect(Table.CreationDateTime * 1000).toBeLessThanOrEqual(Date.now() + 1000);
  });
});

describe("a request", () => {
  test("may be packed with gzip", async () => {
    const body = gzipSync(JSON.stringify({ TableName: "things", Item: { id: { S: "zip" } } }));
    const put = await send(endpoint, { ...target("PutItem"), "content-encoding": "gzip" }, body);
    expect([put.status, put.json()]).toEqual([200, {}]);
  });

  test.each([
    ["no gzip at all", { "content-encoding": "gzip" }, Buffer.from("{}"), 400],
    ["gzip cut short", { "content-encoding": "gzip" }, gzipSync("{}").subarray(0, 12), 400],
    ["another packing", { "content-encoding": "br" }, Buffer.from("{}"), 400],
    ["a bomb", { "content-encoding": "gzip" }, gzipSync(Buffer.alloc(64 * 1024 * 1024, 32)), 413],
  ])("packed as %s is rejected", async (_name, headers, body, status) => {
    const answer = await send(endpoint, { ...target("ListTables"), ...headers }, body);
    expect(answer.status).toBe(status);
    expect(String(answer.json()["__type"])).toMatch(
      status === 400 ? /^com\.amazon\.coral\.service#SerializationException$/ : /#RequestEntityTooLarge$/,
    );
  });

  test("of more than 16 MB is rejected, with or without a declared length, and the server keeps running", async () => {
    const body = Buffer.alloc(17 * 1024 * 1024, 32);
    const measured = await send(endpoint, { ...target("ListTables"), "content-length": body.length }, body);
    expect(measured.status).toBe(413);
    const chunked = await send(endpoint, { ...target("ListTables"), "transfer-encoding": "chunked" }, body);
    expect(chunked.status).toBe(413);
    expect((await call(endpoint, "ListTables", {})).status).toBe(200);
  });

  test("of almost 16 MB is read", async () => {
    const padded = Buffer.concat([Buffer.from("{}"), Buffer.alloc(16 * 1024 * 1024 - 2, 32)]);
    expect((await send(endpoint, target("ListTables"), padded)).status).toBe(200);
  });

  test.each(["application/json", "application/x-amz-json-1.0; charset=utf-8", "application/x-amz-json-1.1"])(
    "may come as %s",
    async (type) => {
      expect((await call(endpoint, "ListTables", {}, { "content-type": type })).status).toBe(200);
    },
  );

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/xml"])(
    "of type %s is not DynamoDB's",
    async (type) => {
      const answer = await call(endpoint, "ListTables", {}, { "content-type": type });
      expect([answer.status, answer.body.toString()]).toEqual([404, "<UnknownOperationException/>\n"]);
    },
  );

  test.each(["GET", "HEAD"])("by %s is answered as a health check", async (method) => {
    const answer = await send(endpoint, {}, "", method);
    expect([answer.status, answer.body.toString()]).toEqual([
      200,
      method === "GET" ? "healthy: dynamodb\n" : "",
    ]);
  });

  test.each(["PUT", "DELETE", "OPTIONS", "PATCH"])("by %s is not DynamoDB's", async (method) => {
    expect((await send(endpoint, target("ListTables"), "{}", method)).status).toBe(404);
  });

  test.each([
    undefined,
    "",
    "ListTables",
    ".ListTables",
    "DynamoDB_20120810",
    "DynamoDB_20120810.",
    "DynamoDB_20120810.listTables",
    "DynamoDB_20120810.Nothing",
    "DynamoDB_20120810.__proto__",
    "DynamoDB_20120810.constructor",
    "DynamoDB_20111205.ListTables",
    "DynamoDBStreams_20120810.ListTables",
    "DynamoDB_20120810.GetRecords",
    "DynamoDB_20120810.ListTables.More",
  ])("with the target %j is an unknown operation", async (name) => {
    const { "x-amz-target": _named, ...plain } = target("x");
    const headers = name === undefined ? plain : { ...plain, "x-amz-target": name };
    const answer = await send(endpoint, headers, "{}");
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ __type: "com.amazon.coral.service#UnknownOperationException" });
  });
});

test("Streams operations are on the same port, under their own name", async () => {
  const streams = (operation: string, input: object) =>
    call(endpoint, operation, input, { "x-amz-target": `DynamoDBStreams_20120810.${operation}` });
  const { Streams } = (await streams("ListStreams", { TableName: "things" })).json() as {
    Streams: { StreamArn: string }[];
  };
  const StreamArn = Streams[0]?.StreamArn;
  const { StreamDescription } = (await streams("DescribeStream", { StreamArn })).json() as {
    StreamDescription: { Shards: { ShardId: string }[] };
  };
  const ShardId = StreamDescription.Shards[0]?.ShardId;
  const { ShardIterator } = (
    await streams("GetShardIterator", { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" })
  ).json();
  const { Records } = (await streams("GetRecords", { ShardIterator })).json() as {
    Records: { dynamodb: { NewImage: object } }[];
  };
  expect(Records.map(({ dynamodb }) => dynamodb.NewImage)).toContainEqual({ id: { S: "zip" } });
});

test("exceptions spell message as AWS's model of DynamoDB does", async () => {
  const transaction = (token: string, id: string) =>
    call(endpoint, "TransactWriteItems", {
      ClientRequestToken: token,
      TransactItems: [
        {
          Put: {
            TableName: "things",
            Item: { id: { S: id } },
            ConditionExpression: "attribute_not_exists(id)",
          },
        },
      ],
    });
  expect((await transaction("one", "t1")).status).toBe(200);
  const mismatch = (await transaction("one", "t2")).json();
  expect(mismatch).toHaveProperty("Message");
  expect(mismatch).not.toHaveProperty("message");
  const cancelled = (await transaction("two", "t1")).json();
  expect(cancelled).toMatchObject({
    __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
    Message: expect.stringContaining("[ConditionalCheckFailed]"),
    CancellationReasons: [{ Code: "ConditionalCheckFailed" }],
  });
  const condition = await call(endpoint, "PutItem", {
    TableName: "things",
    Item: { id: { S: "t1" }, b: { B: "AA==" } },
    ConditionExpression: "attribute_not_exists(id)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  expect(condition.json()).toEqual({
    __type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
    message: "The conditional request failed",
    Item: { id: { S: "t1" } },
  });
});
