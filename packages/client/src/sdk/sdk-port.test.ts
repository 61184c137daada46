import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, test } from "vitest";
import { answer, loopbackServer } from "../../test/loopback-server.ts";
import { rejection, scriptedDynamo } from "../../test/scripted-dynamo.ts";
import { sdkPort } from "./sdk-port.ts";

const clients: DynamoDBClient[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
});

function clientFor(endpoint: string, config: DynamoDBClientConfig = {}) {
  const client = new DynamoDBClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    ...config,
  });
  clients.push(client);
  return client;
}

const portFor = (endpoint: string, config?: DynamoDBClientConfig) => sdkPort(clientFor(endpoint, config));

const key = { pk: { S: "a" } };
const failed = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error("was accepted");
    },
    (error: unknown) => error,
  );

describe("a write whose answer was lost", () => {
  test("its own item, seen by the second attempt, comes back as an ambiguous conflict", async () => {
    let stored: unknown;
    await using server = await scriptedDynamo(({ body }) => {
      if (stored !== undefined)
        return rejection("ConditionalCheckFailedException", "The conditional request failed", {
          Item: stored,
        });
      stored = body["Item"];
      return "drop";
    });
    const mine = { ...key, writeId: { S: "w-1" }, bytes: { B: new Uint8Array([1, 2]) } };

    const error = await failed(
      portFor(server.url).putItem({
        TableName: "t",
        Item: mine,
        ConditionExpression: "attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );

    expect(server.requests.length).toBe(2);
    expect(error).toMatchObject({
      code: "DYNAMO_CONDITIONAL_CHECK_FAILED",
      ambiguous: true,
      details: { attempts: 2, item: mine, operation: "PutItem", table: "t", requestId: "REQUEST-1" },
    });
  });

  test("a transaction's cancellation is ambiguous too, with the item in its reason", async () => {
    await using server = await scriptedDynamo(({ number }) =>
      number === 1
        ? "drop"
        : rejection("TransactionCanceledException", "cancelled", {
            CancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed", Item: key }],
          }),
    );
    const put = { Put: { TableName: "t", Item: key } };
    const error = await failed(portFor(server.url).transactWriteItems({ TransactItems: [put, put] }));
    expect(error).toMatchObject({
      code: "DYNAMO_TRANSACTION_CANCELED",
      ambiguous: true,
      details: { cancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed", Item: key }] },
    });
    const tokens = new Set(server.requests.map((request) => request.body["ClientRequestToken"]));
    expect(tokens.size).toBe(1);
  });

  test("an update is not sent again, unless the caller calls it idempotent", async () => {
    await using server = await scriptedDynamo(({ number }) => (number === 2 ? { json: {} } : "drop"));
    const port = portFor(server.url);
    const update = { TableName: "t", Key: key, UpdateExpression: "ADD n :one" };

    expect(await failed(port.updateItem(update))).toMatchObject({
      code: "CLIENT_CONNECTION_LOST",
      ambiguous: true,
      details: { attempts: 1, endpoint: server.url },
    });
    expect(server.requests.length).toBe(1);
    await port.updateItem(update, { idempotent: true });
  });

  test("a read is not ambiguous", async () => {
    await using server = await scriptedDynamo(() => "drop");
    const error = await failed(portFor(server.url, { maxAttempts: 2 }).getItem({ TableName: "t", Key: key }));
    expect(error).toMatchObject({
      code: "CLIENT_CONNECTION_LOST",
      ambiguous: false,
      details: { attempts: 2 },
    });
  });
});

describe("attempts that were certainly not applied", () => {
  test("a conflict after throttling is a sure conflict", async () => {
    await using server = await scriptedDynamo(({ number }) =>
      number === 1
        ? rejection("ProvisionedThroughputExceededException", "slow down")
        : rejection("ConditionalCheckFailedException", "The conditional request failed"),
    );
    expect(await failed(portFor(server.url).putItem({ TableName: "t", Item: key }))).toMatchObject({
      code: "DYNAMO_CONDITIONAL_CHECK_FAILED",
      ambiguous: false,
      details: { attempts: 2 },
    });
  });

  test("throttling until the deadline reports which limit", async () => {
    const ThrottlingReasons = [{ reason: "TableWriteProvisionedThroughputExceeded", resource: "arn" }];
    await using server = await scriptedDynamo(() =>
      rejection("ProvisionedThroughputExceededException", "slow down", { ThrottlingReasons }),
    );
    const port = portFor(server.url, { maxAttempts: 2 });
    expect(await failed(port.putItem({ TableName: "t", Item: key }))).toMatchObject({
      kind: "throttled",
      ambiguous: false,
      details: { attempts: 2, throttlingReasons: ThrottlingReasons },
    });
  });

  test("reports each retry with its reason to the caller, including those of the client", async () => {
    await using server = await scriptedDynamo(({ number }) => {
      if (number === 1) return "drop";
      if (number === 2) return rejection("ThrottlingException", "slow");
      return number === 3 ? rejection("TransactionConflictException", "held") : { json: {} };
    });
    const told: unknown[] = [];
    const onRetry = (attempt: number, reason?: { code: string; ambiguous: boolean }) =>
      told.push([attempt, reason?.code, reason?.ambiguous]);
    await portFor(server.url).putItem({ TableName: "t", Item: key }, { onRetry });
    expect(told).toEqual([
      [2, "CLIENT_CONNECTION_LOST", true],
      [3, "DYNAMO_THROTTLING", false],
      [4, "DYNAMO_TRANSACTION_CONFLICT", true],
    ]);
  });

  test("a retry listener that throws changes nothing", async () => {
    await using server = await scriptedDynamo(({ number }) =>
      number < 3 ? rejection("ThrottlingException", "slow down") : { json: {} },
    );
    const onRetry = () => {
      throw new Error("the listener failed");
    };
    expect(await portFor(server.url).putItem({ TableName: "t", Item: key }, { onRetry })).toEqual({});
    expect(await portFor(server.url).updateItem({ TableName: "t", Key: key }, { onRetry })).toEqual({});
    expect(server.requests.length).toBe(4);
  });

  test("an update is sent again after throttling", async () => {
    await using server = await scriptedDynamo(({ number }) =>
      number < 4 ? rejection("ThrottlingException", "slow down") : { json: {} },
    );
    expect(await portFor(server.url).updateItem({ TableName: "t", Key: key })).toEqual({});
    expect(server.requests.length).toBe(4);
  });

  test("a plain write that meets a transaction is sent again, though the SDK would not", async () => {
    await using server = await scriptedDynamo(({ number }) =>
      number < 4
        ? rejection("TransactionConflictException", "Transaction is ongoing for the item")
        : { json: {} },
    );
    await portFor(server.url).putItem({ TableName: "t", Item: key });
    expect(server.requests.length).toBe(4);
  });

  test("a cancelled transaction is not", async () => {
    await using server = await scriptedDynamo(() =>
      rejection("TransactionCanceledException", "cancelled", {
        CancellationReasons: [{ Code: "TransactionConflict" }],
      }),
    );
    const items = { TransactItems: [{ Put: { TableName: "t", Item: key } }] };
    expect(await failed(portFor(server.url).transactWriteItems(items))).toMatchObject({
      ambiguous: false,
      details: { cancellationReasons: [{ Code: "TransactionConflict" }], table: "t" },
    });
    expect(server.requests.length).toBe(1);
  });

  test("an endpoint without a listener is unreachable, and nothing was written", async () => {
    const server = await scriptedDynamo(() => "hang");
    await server[Symbol.asyncDispose]();
    const error = await failed(
      portFor(server.url, { maxAttempts: 2 }).putItem({ TableName: "t", Item: key }),
    );
    expect(error).toMatchObject({
      code: "CLIENT_UNREACHABLE",
      ambiguous: false,
      details: { endpoint: server.url, attempts: 2 },
    });
  });
});

describe("a server that does not answer", () => {
  test("a call ends at its deadline, although the SDK would wait", async () => {
    await using server = await scriptedDynamo(() => "hang");
    const port = portFor(server.url);
    expect(await failed(port.putItem({ TableName: "t", Item: key }, { deadlineMs: 2_000 }))).toMatchObject({
      code: "CLIENT_DEADLINE_EXCEEDED",
      ambiguous: true,
      details: { deadlineMs: 2_000, attempts: 1 },
    });
    // Slow is fine: the server never answers, and a read is never ambiguous.
    expect(await failed(port.getItem({ TableName: "t", Key: key }, { deadlineMs: 50 }))).toMatchObject({
      code: "CLIENT_DEADLINE_EXCEEDED",
      ambiguous: false,
    });
  });

  test("even if the client's transport ignores the abort signal", async () => {
    const requestHandler = { handle: () => new Promise<never>(() => {}), destroy() {} };
    const port = portFor("http://127.0.0.1:1", { requestHandler });
    // Slow is fine: the transport never answers.
    expect(await failed(port.getItem({ TableName: "t", Key: key }, { deadlineMs: 50 }))).toMatchObject({
      code: "CLIENT_DEADLINE_EXCEEDED",
    });
  });

  test("the caller's abort ends it with the caller's reason", async () => {
    await using server = await scriptedDynamo(() => "hang");
    const abort = new AbortController();
    const call = failed(portFor(server.url).putItem({ TableName: "t", Item: key }, { signal: abort.signal }));
    const reason = new Error("enough");
    setTimeout(() => abort.abort(reason), 50);
    expect(await call).toMatchObject({ code: "CLIENT_ABORTED", ambiguous: true, cause: reason });
    const late = failed(portFor(server.url).putItem({ TableName: "t", Item: key }, { signal: abort.signal }));
    expect(await late).toMatchObject({ code: "CLIENT_ABORTED", ambiguous: false });
  });
});

describe("answers that are not DynamoDB's", () => {
  test("a proxy's error page makes a write ambiguous", async () => {
    await using server = await scriptedDynamo(() => ({ text: "<html>Welcome</html>" }));
    expect(await failed(portFor(server.url).putItem({ TableName: "t", Item: key }))).toMatchObject({
      code: "CLIENT_RESPONSE_CORRUPT",
      ambiguous: true,
    });
  });

  test("a server fault makes a write ambiguous, not a read", async () => {
    await using server = await scriptedDynamo(() => rejection("InternalServerError", "oops", {}, 500));
    const port = portFor(server.url, { maxAttempts: 1 });
    expect(await failed(port.putItem({ TableName: "t", Item: key }))).toMatchObject({
      code: "DYNAMO_INTERNAL_SERVER",
      ambiguous: true,
      details: { httpStatus: 500 },
    });
    expect(await failed(port.getItem({ TableName: "t", Key: key }))).toMatchObject({ ambiguous: false });
  });
});

describe("local failures", () => {
  test("credentials that cannot be had", async () => {
    await using server = await scriptedDynamo(() => ({ json: {} }));
    const credentials = () =>
      Promise.reject(Object.assign(new Error("no"), { name: "CredentialsProviderError" }));
    const error = await failed(portFor(server.url, { credentials }).putItem({ TableName: "t", Item: key }));
    expect(error).toMatchObject({ code: "CLIENT_CREDENTIALS_FAILED", ambiguous: false });
  });

  test("credentials that the service rejects, and a table that is not there, name what to fix", async () => {
    await using server = await scriptedDynamo(({ operation }) =>
      operation === "PutItem"
        ? rejection("UnrecognizedClientException", "The security token included in the request is invalid.")
        : rejection("ResourceNotFoundException", "Requested resource not found"),
    );
    const port = portFor(server.url);
    expect(await failed(port.putItem({ TableName: "t", Item: key }))).toMatchObject({
      code: "DYNAMO_UNRECOGNIZED_CLIENT",
      kind: "denied",
    });
    expect(await failed(port.getItem({ TableName: "t", Key: key }))).toMatchObject({
      kind: "not-found",
      details: { operation: "GetItem", table: "t" },
    });
  });

  test("options that do not exist or make no sense", () => {
    const client = clientFor("http://127.0.0.1:1");
    const invalid = (option: string) =>
      expect.objectContaining({
        code: "CLIENT_OPTION_INVALID",
        details: expect.objectContaining({ option }),
      });
    expect(() => sdkPort(client, { timeout: 1 } as never)).toThrow(invalid("timeout"));
    expect(() => sdkPort(client, { deadlineMs: 0 })).toThrow(invalid("deadlineMs"));
    expect(() => sdkPort(client, { maxAttempts: 1.5 })).toThrow(invalid("maxAttempts"));
  });
});

describe("closing", () => {
  test("waits for calls in flight, rejects later ones and leaves the client open", async () => {
    await using server = await scriptedDynamo(() => ({ json: { Item: key } }));
    const client = clientFor(server.url);
    const port = sdkPort(client);
    const running = port.getItem({ TableName: "t", Key: key });
    await port.close();
    await port.close();
    expect(await running).toEqual({ Item: key });
    expect(await failed(port.getItem({ TableName: "t", Key: key }))).toMatchObject({ code: "CLIENT_CLOSED" });
    expect(await sdkPort(client).getItem({ TableName: "t", Key: key })).toEqual({ Item: key });
  });
});

test("operations of DynamoDB Streams go to the same endpoint with a client made for them", async () => {
  await using server = await scriptedDynamo(({ headers }) => ({
    json: { Streams: [{ StreamArn: String(headers["x-amz-target"]) }] },
  }));
  const port = portFor(server.url);
  expect(await port.listStreams({})).toEqual({
    Streams: [{ StreamArn: "DynamoDBStreams_20120810.ListStreams" }],
  });
  await port.close();
});

test("a Document client is a client too: the port speaks attribute values through it", async () => {
  await using server = await scriptedDynamo(() => ({ json: { Item: key } }));
  const port = sdkPort(DynamoDBDocumentClient.from(clientFor(server.url)));
  expect(await port.getItem({ TableName: "t", Key: key })).toEqual({ Item: key });
  expect(server.requests[0]?.body).toEqual({ TableName: "t", Key: key });
});

test("a call that lowers the number of attempts is not sent more often by the client", async () => {
  await using server = await scriptedDynamo(() => rejection("ThrottlingException", "slow down"));
  const port = portFor(server.url);
  const read = (maxAttempts: number) => failed(port.getItem({ TableName: "t", Key: key }, { maxAttempts }));
  expect(await read(1)).toMatchObject({ kind: "throttled", details: { attempts: 1 } });
  expect(server.requests).toHaveLength(1);
  expect(await read(2)).toMatchObject({ kind: "throttled", details: { attempts: 2 } });
  expect(server.requests).toHaveLength(3);
});

test("a server's clock that is far ahead is known", async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const server = await loopbackServer((_, response) => answer(response, {}, 200, { date }));
  await using port = portFor(server.url);
  await port.getItem({ TableName: "t", Key: key });
  expect(port.serverOffsetMs?.()).toBeGreaterThan(3_000_000);
  await server.close();
});
