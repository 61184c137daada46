import {
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  CreateBackupCommand,
  DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  ListTablesCommand,
  ProvisionedThroughputExceededException,
  PutItemCommand,
  type PutItemCommandOutput,
  paginateQuery,
  ResourceNotFoundException,
  ThrottlingException,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { ExpiredIteratorException, GetRecordsCommand } from "@aws-sdk/client-dynamodb-streams";
import { DynamoDBDocumentClient, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { buildPort, type CallOptions, DynamoError, type DynamoPort } from "@tablekeep/core";
import { describe, expect, test } from "vitest";
import { ClientError } from "../base/client-error.ts";
import { sdkClient, sdkStreamsClient } from "./sdk-client.ts";
import { sdkPort } from "./sdk-port.ts";

interface Received {
  readonly operation: string;
  readonly input: Record<string, never>;
  readonly options: CallOptions;
}

/** A port whose answers the test defines, and the requests to it. */
function recordingPort(answer: (received: Received) => unknown = () => ({})) {
  const calls: Received[] = [];
  const dispatch = async (operation: string, input: object, options: CallOptions) => {
    const received = { operation, input: input as Record<string, never>, options };
    calls.push(received);
    return answer(received);
  };
  const port: DynamoPort = buildPort(dispatch as never, async () => {});
  return { calls, port };
}

const failingWith = (error: unknown) =>
  recordingPort(() => {
    throw error;
  }).port;

const failed = (call: Promise<unknown>) =>
  call.then(
    () => {
      throw new Error("was accepted");
    },
    (error: unknown) => error,
  );

const key = { pk: { S: "a" } };
const put = { TableName: "t", Item: { ...key, b: { B: new Uint8Array([1, 2, 3]) } } };

describe("a command", () => {
  test("goes to the port and comes back with the SDK's metadata", async () => {
    const { calls, port } = recordingPort(() => ({ Item: key }));
    const client = await sdkClient(port);
    expect(client).toBeInstanceOf(DynamoDBClient);
    const output = await client.send(new GetItemCommand({ TableName: "t", Key: key }));
    expect(output).toMatchObject({
      Item: key,
      $metadata: { httpStatusCode: 200, attempts: 1, requestId: expect.any(String) },
    });
    expect(calls).toEqual([{ operation: "GetItem", input: { TableName: "t", Key: key }, options: {} }]);
  });

  test("shares no memory with the port, neither in nor out", async () => {
    const kept = {
      Item: { ...key, b: { B: new Uint8Array([9]) }, l: { L: [{ BS: [new Uint8Array([7])] }] } },
    };
    const { calls, port } = recordingPort(() => kept);
    const client = await sdkClient(port);
    const given = { TableName: "t", Item: { pk: { S: "a" }, b: { B: Buffer.from([1]) } } };
    const output = await client.send(new PutItemCommand(given));

    expect(calls[0]?.input["Item"]).toEqual({ ...key, b: { B: new Uint8Array([1]) } });
    given.Item.pk.S = "changed";
    given.Item.b.B[0] = 99;
    expect(calls[0]?.input["Item"]).toEqual({ pk: { S: "a" }, b: { B: new Uint8Array([1]) } });
    Object.assign(output, { Item: undefined });
    const again = await client.send(new GetItemCommand({ TableName: "t", Key: key }));
    again.Item?.["b"]?.B?.fill(0);
    again.Item?.["l"]?.L?.[0]?.BS?.[0]?.fill(0);
    expect(kept.Item).toEqual({
      ...key,
      b: { B: new Uint8Array([9]) },
      l: { L: [{ BS: [new Uint8Array([7])] }] },
    });
    expect(again.Item?.["b"]?.B?.constructor).toBe(Uint8Array);
  });

  test("an attribute named __proto__ stays an attribute", async () => {
    const { calls, port } = recordingPort(({ input }) => ({ Attributes: input["Item"] }));
    const Item = JSON.parse('{"pk":{"S":"a"},"__proto__":{"S":"b"}}');
    const output = await (await sdkClient(port)).send(new PutItemCommand({ TableName: "t", Item }));
    expect(JSON.stringify(calls[0]?.input["Item"])).toBe(JSON.stringify(Item));
    expect(JSON.stringify(output.Attributes)).toBe(JSON.stringify(Item));
  });

  test("a transaction gets a token, a new one each time, unless it has one", async () => {
    const { calls, port } = recordingPort();
    const client = await sdkClient(port);
    const input = { TransactItems: [{ Put: put }] };
    await client.send(new TransactWriteItemsCommand(input));
    await client.send(new TransactWriteItemsCommand(input));
    await client.send(new TransactWriteItemsCommand({ ...input, ClientRequestToken: "mine" }));
    const tokens = calls.map((call) => call.input["ClientRequestToken"]);
    expect(tokens[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(tokens[1]).not.toBe(tokens[0]);
    expect(tokens[2]).toBe("mine");
    expect(input).toEqual({ TransactItems: [{ Put: put }] });
  });

  test("accepts an abort signal, a timeout and a callback", async () => {
    const { calls, port } = recordingPort();
    const client = await sdkClient(port);
    const { signal } = new AbortController();
    await client.send(new ListTablesCommand({}), { abortSignal: signal, requestTimeout: 50 });
    expect(calls[0]?.options).toEqual({ signal, deadlineMs: 50 });
    const output = await new Promise<PutItemCommandOutput | undefined>((resolve) => {
      client.send(new PutItemCommand(put), (_, value) => resolve(value));
    });
    expect(output?.$metadata.httpStatusCode).toBe(200);
  });

  test("one that a port does not have is rejected as the service would", async () => {
    const client = await sdkClient(recordingPort().port);
    const error = await failed(client.send(new CreateBackupCommand({ TableName: "t", BackupName: "b" })));
    expect(error).toBeInstanceOf(DynamoDBServiceException);
    expect(error).toMatchObject({
      name: "UnknownOperationException",
      message: expect.stringContaining("this client does not support CreateBackup"),
      $metadata: { httpStatusCode: 400 },
    });
  });

  test("destroying the client leaves the port open", async () => {
    const { calls, port } = recordingPort();
    const client = await sdkClient(port);
    client.destroy();
    await port.listTables({});
    expect(calls.length).toBe(1);
  });
});

describe("exceptions", () => {
  const throwing = async (error: unknown) =>
    failed((await sdkClient(failingWith(error))).send(new PutItemCommand(put)));

  test("are of the SDK's own classes, with what the service sent", async () => {
    const error = await throwing(
      new DynamoError({
        exception: "ConditionalCheckFailedException",
        serviceMessage: "The conditional request failed",
        item: key,
        requestId: "R",
        attempts: 2,
      }),
    );
    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    expect(error).toBeInstanceOf(DynamoDBServiceException);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "ConditionalCheckFailedException",
      message: "The conditional request failed",
      $fault: "client",
      $metadata: { httpStatusCode: 400, requestId: "R", attempts: 2 },
      Item: key,
    });
  });

  test("a cancelled transaction has its reasons, and a throttled request too", async () => {
    const cancelled = await throwing(
      new DynamoError({
        exception: "TransactionCanceledException",
        serviceMessage: "cancelled",
        cancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed", Item: key }],
      }),
    );
    expect(cancelled).toBeInstanceOf(TransactionCanceledException);
    expect(cancelled).toMatchObject({ CancellationReasons: [{ Code: "None" }, { Item: key }] });

    const throttlingReasons = [{ reason: "KeyRangeThroughputExceeded", resource: "arn" }];
    const throttled = (exception: string) =>
      throwing(new DynamoError({ exception, serviceMessage: "", throttlingReasons }));
    const provisioned = await throttled("ProvisionedThroughputExceededException");
    expect(provisioned).toBeInstanceOf(ProvisionedThroughputExceededException);
    expect(provisioned).toMatchObject({ ThrottlingReasons: throttlingReasons });
    const account = await throttled("ThrottlingException");
    expect(account).toBeInstanceOf(ThrottlingException);
    expect(account).toMatchObject({ throttlingReasons });
  });

  test("one without its own class is a DynamoDBServiceException of its name", async () => {
    const error = await throwing(
      new DynamoError({ exception: "ValidationException", serviceMessage: "bad" }),
    );
    expect(error).toBeInstanceOf(DynamoDBServiceException);
    expect(error).not.toBeInstanceOf(ResourceNotFoundException);
    expect(error).toMatchObject({ name: "ValidationException", message: "bad", $fault: "client" });
  });

  test("transport problems are reported as the SDK's transport reports them", async () => {
    const at = { endpoint: "http://x", attempts: 1 };
    const names = await Promise.all(
      [
        new ClientError("CLIENT_ABORTED", "m", { attempts: 1 }),
        new ClientError("CLIENT_DEADLINE_EXCEEDED", "m", { deadlineMs: 1, attempts: 1 }),
        new ClientError("CLIENT_UNREACHABLE", "m", { ...at, reason: "ECONNREFUSED" }),
        new ClientError("CLIENT_CREDENTIALS_FAILED", "m", { provider: "p" }),
      ].map(async (error) => ((await throwing(error)) as Error).name),
    );
    expect(names).toEqual(["AbortError", "TimeoutError", "TimeoutError", "CredentialsProviderError"]);
  });

  test("nothing is lost on the way through a client back to a port", async () => {
    const conflict = new DynamoError({
      exception: "ConditionalCheckFailedException",
      serviceMessage: "m",
      ambiguous: true,
      attempts: 3,
    });
    const lost = new ClientError(
      "CLIENT_CONNECTION_LOST",
      "m",
      { endpoint: "e", attempts: 1 },
      { ambiguous: true },
    );
    for (const error of [conflict, lost]) {
      const port = sdkPort(await sdkClient(failingWith(error)));
      expect(await failed(port.putItem(put))).toMatchObject({
        code: error.code,
        ambiguous: true,
        details: error.details,
      });
    }
  });
});

describe("middleware", () => {
  test("of the user runs in every step, for plain and for Document commands", async () => {
    const { calls, port } = recordingPort();
    const client = await sdkClient(port);
    const seen: string[] = [];
    for (const step of ["initialize", "serialize", "build", "finalizeRequest", "deserialize"] as const) {
      const note = (next: (args: never) => Promise<never>) => async (args: never) => {
        seen.push(step);
        return next(args);
      };
      client.middlewareStack.add(note as never, { step: step as "initialize", name: `note-${step}` });
    }
    await client.send(new PutItemCommand(put));
    const inOrder = ["initialize", "serialize", "build", "finalizeRequest", "deserialize"];
    expect(seen).toEqual(inOrder);
    await DynamoDBDocumentClient.from(client).send(new PutCommand({ TableName: "t", Item: { pk: "a" } }));
    expect(seen).toEqual([...inOrder, ...inOrder]);
    expect(calls.map((call) => call.input["Item"])).toEqual([put.Item, key]);
  });

  test("of a single command runs too, and may change its input", async () => {
    const { calls, port } = recordingPort();
    const command = new GetItemCommand({ TableName: "t", Key: key });
    command.middlewareStack.add(
      (next) => (args) => next({ ...args, input: { ...args.input, TableName: "u" } }),
      {
        step: "initialize",
      },
    );
    await (await sdkClient(port)).send(command);
    expect(calls[0]?.input["TableName"]).toBe("u");
  });
});

describe("layers above the client", () => {
  test("the Document client accepts and returns native values", async () => {
    const { calls, port } = recordingPort(({ operation }) =>
      operation === "Query" ? { Items: [{ pk: { S: "a" }, n: { N: "1" }, s: { SS: ["x"] } }], Count: 1 } : {},
    );
    const client = DynamoDBDocumentClient.from(await sdkClient(port));
    await client.send(
      new PutCommand({ TableName: "t", Item: { pk: "a", n: 1, s: new Set(["x"]), b: new Uint8Array([1]) } }),
    );
    expect(calls[0]?.input["Item"]).toEqual({
      pk: { S: "a" },
      n: { N: "1" },
      s: { SS: ["x"] },
      b: { B: new Uint8Array([1]) },
    });
    const { Items } = await client.send(new QueryCommand({ TableName: "t" }));
    expect(Items).toEqual([{ pk: "a", n: 1, s: new Set(["x"]) }]);
  });

  test("paginators and waiters", async () => {
    const { calls, port } = recordingPort(({ operation, input }) => {
      if (operation === "DescribeTable") {
        const described = calls.filter((call) => call.operation === "DescribeTable").length;
        if (described === 1)
          throw new DynamoError({ exception: "ResourceNotFoundException", serviceMessage: "" });
        return { Table: { TableStatus: "ACTIVE" } };
      }
      return input["ExclusiveStartKey"] ? { Items: [key] } : { Items: [key], LastEvaluatedKey: key };
    });
    const client = await sdkClient(port);
    let pages = 0;
    for await (const page of paginateQuery({ client }, { TableName: "t" })) pages += page.Items?.length ?? 0;
    expect(pages).toBe(2);
    const waited = await waitUntilTableExists(
      { client, maxWaitTime: 5, minDelay: 0.01, maxDelay: 0.02 } as never,
      { TableName: "t" },
    );
    expect(waited.state).toBe("SUCCESS");
  });

  test("a batch keeps its bytes", async () => {
    const { calls, port } = recordingPort(({ input }) => ({ UnprocessedItems: input["RequestItems"] }));
    const RequestItems = { t: [{ PutRequest: { Item: put.Item } }] };
    const output = await (await sdkClient(port)).send(new BatchWriteItemCommand({ RequestItems }));
    expect(output.UnprocessedItems).toEqual(RequestItems);
    expect(calls[0]?.input["RequestItems"]).toEqual(RequestItems);
  });
});

describe("DynamoDB Streams", () => {
  test("records keep their dates, and exceptions are those of the Streams package", async () => {
    const record = { dynamodb: { ApproximateCreationDateTime: new Date(1000) } };
    const { port } = recordingPort(() => ({ Records: [record] }));
    const output = await (await sdkStreamsClient(port)).send(new GetRecordsCommand({ ShardIterator: "i" }));
    expect(output.Records).toEqual([record]);

    const expired = new DynamoError({ exception: "ExpiredIteratorException", serviceMessage: "old" });
    const client = await sdkStreamsClient(failingWith(expired));
    const error = await failed(client.send(new GetRecordsCommand({ ShardIterator: "i" })));
    expect(error).toBeInstanceOf(ExpiredIteratorException);
  });

  test("a port over a client over a port finds them", async () => {
    const { calls, port } = recordingPort(() => ({ Streams: [] }));
    expect(await sdkPort(await sdkClient(port)).listStreams({})).toEqual({ Streams: [] });
    expect(calls.map((call) => call.operation)).toEqual(["ListStreams"]);
  });
});
