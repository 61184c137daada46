import { systemClock } from "@tablekeep/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failureOf } from "../../test/failure-of.ts";
import { answer, type LoopbackServer, loopbackServer, reject } from "../../test/loopback-server.ts";
import { httpPort } from "./http-port.ts";
import type { HttpPortOptions } from "./http-port-options.ts";

const credentials = { accessKeyId: "AKID", secretAccessKey: "secret" };
const put = { TableName: "carts", Item: { id: { S: "1" } } };
const update = { TableName: "carts", Key: { id: { S: "1" } }, UpdateExpression: "ADD n :one" };
const transaction = { TransactItems: [{ Put: put }] };

let server: LoopbackServer;
beforeEach(async () => {
  server = await loopbackServer((_, response) => answer(response, {}));
});
afterEach(() => server.close());

/** A port that does not wait between attempts. */
const open = (options: HttpPortOptions = {}) =>
  httpPort({ endpoint: server.url, credentials, random: () => 0, ...options });

/** Fails the first `n` requests. */
const failing = (n: number, fail: (response: Parameters<typeof reject>[0]) => void) => {
  server.script = ({ number }, response) => {
    if (number <= n) fail(response);
    else answer(response, {});
  };
};

describe("throttling", () => {
  const throttles = ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"];
  test.each([1, 2, 3, 4, 5, 6, 7, 8])("of %i attempts in a row is waited out", async (n) => {
    failing(n, (response) => reject(response, throttles[n % throttles.length] as string));
    await using port = open();
    await expect(port.updateItem(update)).resolves.toEqual({});
    expect(server.seen.length).toBe(n + 1);
    expect(new Set(server.seen.map(({ text }) => text)).size).toBe(1);
  });

  test("to the end is thrown with its reasons", async () => {
    const ThrottlingReasons = [{ reason: "TableWriteProvisionedThroughputExceeded", resource: "arn:carts" }];
    failing(99, (response) => reject(response, "ThrottlingException", { body: { ThrottlingReasons } }));
    await using port = open({ maxAttempts: 3 });
    const error = await failureOf(port.putItem(put));
    expect(error).toMatchObject({
      code: "DYNAMO_THROTTLING",
      kind: "throttled",
      ambiguous: false,
      details: { attempts: 3, operation: "PutItem", table: "carts", throttlingReasons: ThrottlingReasons },
    });
  });

  test("of everything is answered with at most a hundred retries, then at once", async () => {
    failing(100_000, (response) => reject(response, "ThrottlingException"));
    await using port = open();
    for (let i = 0; i < 60; i++) await failureOf(port.putItem(put));
    expect(server.seen.length).toBe(60 + 100);
  });

  test("keeps to the deadline: throws the last rejection, not a late one", async () => {
    failing(99, (response) => reject(response, "ThrottlingException"));
    // Time passes only while the port waits between attempts: 50, 100 and 200 ms. The next wait would end too late.
    let elapsed = 0;
    const after = (ms: number, ring: () => void) => {
      const isPause = [50, 100, 200].includes(ms);
      if (isPause) elapsed += ms;
      if (isPause) queueMicrotask(ring);
      return () => {};
    };
    const clock = { ...systemClock, monotonic: () => elapsed, after };
    await using port = open({ random: () => 1, clock });
    const error = await failureOf(port.putItem(put, { deadlineMs: 600 }));
    expect(elapsed).toBe(350);
    expect(error).toMatchObject({ code: "DYNAMO_THROTTLING", details: { attempts: 4 } });
  });
});

describe("conflicts of transactions", () => {
  test.each(["TransactionConflictException", "TransactionInProgressException"])(
    "%s is retried",
    async (name) => {
      failing(2, (response) => reject(response, name));
      await using port = open();
      await expect(port.putItem(put)).resolves.toEqual({});
      expect(server.seen.length).toBe(3);
    },
  );

  test.each(["TransactionCanceledException", "IdempotentParameterMismatchException"])(
    "%s is not",
    async (name) => {
      failing(1, (response) => reject(response, name));
      await using port = open();
      expect(await failureOf(port.transactWriteItems(transaction))).toMatchObject({
        ambiguous: false,
        details: { exception: name, attempts: 1, table: "carts" },
      });
      expect(server.seen.length).toBe(1);
    },
  );

  test("returns cancellation reasons with their items", async () => {
    const CancellationReasons = [
      { Code: "None" },
      { Code: "ConditionalCheckFailed", Message: "no", Item: { b: { B: "AQI=" } } },
    ];
    failing(1, (response) =>
      reject(response, "TransactionCanceledException", { body: { CancellationReasons } }),
    );
    await using port = open();
    const error = await failureOf(port.transactWriteItems(transaction));
    expect(error.details["cancellationReasons"]).toEqual([
      { Code: "None" },
      { Code: "ConditionalCheckFailed", Message: "no", Item: { b: { B: new Uint8Array([1, 2]) } } },
    ]);
  });

  test("all attempts of a transaction use one token; a given one is kept", async () => {
    failing(2, (response) => response.destroy());
    await using port = open();
    await port.transactWriteItems(transaction);
    const tokens = server.seen.map(({ body }) => body["ClientRequestToken"]);
    expect(tokens).toEqual([tokens[0], tokens[0], tokens[0]]);
    expect(tokens[0]).toMatch(/^[0-9a-f-]{36}$/);
    await port.transactWriteItems({ ...transaction, ClientRequestToken: "mine" });
    expect(server.seen.at(-1)?.body["ClientRequestToken"]).toBe("mine");
  });
});

describe("a fault of the service", () => {
  const faults: [string, number][] = [
    ["InternalServerError", 500],
    ["ServiceUnavailable", 503],
    ["SomethingNew", 502],
  ];

  test.each(faults)("%s is retried for reads and for writes that may be repeated", async (name, status) => {
    await using port = open();
    const calls = [
      () => port.getItem({ TableName: "carts", Key: {} }),
      () => port.putItem(put),
      () => port.deleteItem({ TableName: "carts", Key: {} }),
      () => port.batchWriteItem({ RequestItems: {} }),
      () => port.transactWriteItems(transaction),
      () => port.updateItem(update, { idempotent: true }),
      () => port.executeStatement({ Statement: "SELECT * FROM carts" }),
    ];
    for (const call of calls) {
      const already = server.seen.length;
      failing(already + 1, (response) => reject(response, name, { status }));
      await expect(call()).resolves.toEqual({});
      expect(server.seen.length).toBe(already + 2);
    }
  });

  test.each(faults)("%s makes any other write ambiguous, and it is not sent again", async (name, status) => {
    await using port = open();
    failing(99, (response) => reject(response, name, { status }));
    const calls = [
      () => port.updateItem(update),
      () => port.executeStatement({ Statement: "DELETE FROM carts WHERE id = '1'" }),
      () => port.batchExecuteStatement({ Statements: [{ Statement: "UPDATE carts SET n = 1" }] }),
      () => port.createTable({ TableName: "carts" } as never),
      () => port.deleteTable({ TableName: "carts" }),
    ];
    for (const call of calls) {
      const already = server.seen.length;
      expect(await failureOf(call())).toMatchObject({
        ambiguous: true,
        kind: "unavailable",
        details: { attempts: 1 },
      });
      expect(server.seen.length).toBe(already + 1);
    }
  });

  test("a read is not ambiguous when it never succeeds", async () => {
    failing(99, (response) => reject(response, "InternalServerError", { status: 500 }));
    await using port = open({ maxAttempts: 2 });
    expect(await failureOf(port.getItem({ TableName: "carts", Key: {} }))).toMatchObject({
      ambiguous: false,
    });
  });
});

describe("own write seen as conflict", () => {
  test("a failed condition after a dropped connection is ambiguous, with the item and both attempts", async () => {
    const Item = { id: { S: "1" }, wid: { S: "write-1" } };
    server.script = ({ number }, response) => {
      if (number === 1) response.destroy();
      else reject(response, "ConditionalCheckFailedException", { body: { Item } });
    };
    await using port = open();
    const error = await failureOf(
      port.putItem({
        TableName: "carts",
        Item,
        ConditionExpression: "attribute_not_exists(id)",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    expect(error).toMatchObject({
      code: "DYNAMO_CONDITIONAL_CHECK_FAILED",
      ambiguous: true,
      details: { attempts: 2, item: Item, operation: "PutItem", table: "carts" },
    });
  });

  test("a failed condition at the first attempt is a plain conflict", async () => {
    server.script = (_, response) => reject(response, "ConditionalCheckFailedException");
    await using port = open();
    expect(await failureOf(port.putItem(put))).toMatchObject({ ambiguous: false, details: { attempts: 1 } });
  });
});
