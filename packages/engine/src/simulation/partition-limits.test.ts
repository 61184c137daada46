import { isDynamoError } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { openEngine } from "../engine.ts";
import type { PartitionLimits } from "./behavior-options.ts";

const TableName = "items";
const resource = "arn:aws:dynamodb:us-east-1:000000000000:table/items";

async function opened(partitionLimits: PartitionLimits, billing: "PAY_PER_REQUEST" | "PROVISIONED") {
  const clock = fakeClock();
  const engine = await openEngine({ storage: { kind: "memory" }, clock, behavior: { partitionLimits } });
  await engine.createTable({
    TableName,
    BillingMode: billing,
    ...(billing === "PROVISIONED" && {
      ProvisionedThroughput: { ReadCapacityUnits: 10_000, WriteCapacityUnits: 10_000 },
    }),
    AttributeDefinitions: ["pk", "sk", "tag"].map((AttributeName) => ({
      AttributeName,
      AttributeType: "S" as const,
    })),
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    LocalSecondaryIndexes: [
      {
        IndexName: "by-tag",
        KeySchema: [
          { AttributeName: "pk", KeyType: "HASH" },
          { AttributeName: "tag", KeyType: "RANGE" },
        ],
        Projection: { ProjectionType: "ALL" },
      },
    ],
    ...(billing === "PAY_PER_REQUEST" && {
      GlobalSecondaryIndexes: [
        {
          IndexName: "tags",
          KeySchema: [{ AttributeName: "tag", KeyType: "HASH" }],
          Projection: { ProjectionType: "ALL" },
        },
      ],
    }),
  });
  const key = (sk: string, pk = "p") => ({ pk: { S: pk }, sk: { S: sk } });
  const put = (sk: string, pk?: string, more = {}) =>
    engine.putItem({ TableName, Item: { ...key(sk, pk), ...more } });
  const get = (sk: string, pk?: string) =>
    engine.getItem({ TableName, Key: key(sk, pk), ConsistentRead: true });
  return { engine, clock, key, put, get };
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (isDynamoError(error) ? error.details : error),
  );

const throttled = (reason: string, of = resource) => ({
  exception: "ThrottlingException",
  throttlingReasons: [{ reason, resource: of }],
});

/** Sends writes until one is throttled, at most 100,000. */
async function accepted(send: () => Promise<unknown>): Promise<number> {
  for (let count = 0; count < 100_000; count++) {
    const details = await failure(send());
    if (details === undefined) continue;
    expect(details).toMatchObject({ exception: "ThrottlingException" });
    return count;
  }
  throw new Error("nothing was throttled");
}

describe("a partition", () => {
  test("accepts 1,000 write units and 3,000 read units a second", async () => {
    const { clock, put, get } = await opened({}, "PAY_PER_REQUEST");
    expect(await accepted(() => put("a"))).toBe(1000);
    expect(await failure(put("b"))).toMatchObject(throttled("TableWriteKeyRangeThroughputExceeded"));
    expect(await accepted(() => get("a"))).toBe(3000);
    expect(await failure(get("a"))).toMatchObject(throttled("TableReadKeyRangeThroughputExceeded"));
    await clock.advance(100);
    expect(await accepted(() => put("a"))).toBe(100);
    expect(await accepted(() => get("a"))).toBe(300);
    await clock.advance(10_000);
    expect(await accepted(() => put("a"))).toBe(1000);
  });

  test("does not limit another one", async () => {
    const { put } = await opened({ writeUnitsPerSecond: 2 }, "PAY_PER_REQUEST");
    expect(await accepted(() => put("a"))).toBe(2);
    expect(await accepted(() => put("a", "q"))).toBe(2);
  });

  test("collects what it does not use for as long as the burst lasts", async () => {
    const { clock, put } = await opened({ writeUnitsPerSecond: 10, burstSeconds: 5 }, "PAY_PER_REQUEST");
    expect(await accepted(() => put("a"))).toBe(50);
    await clock.advance(2000);
    expect(await accepted(() => put("a"))).toBe(20);
  });

  test("lets one request overdraw it, and the next ones wait until that is paid", async () => {
    const { clock, put } = await opened({ writeUnitsPerSecond: 10 }, "PAY_PER_REQUEST");
    await put("large", "p", { text: { S: "x".repeat(30 * 1024 - 20) } });
    await clock.advance(1999);
    expect(await failure(put("a"))).toMatchObject({ exception: "ThrottlingException" });
    await clock.advance(2);
    expect(await failure(put("a"))).toBeUndefined();
  });

  test("pays for a write whose condition fails, and has nothing changed by one that is throttled", async () => {
    const { engine, key, put, get } = await opened({ writeUnitsPerSecond: 3 }, "PAY_PER_REQUEST");
    await put("a");
    const update = () =>
      engine.updateItem({
        TableName,
        Key: key("a"),
        UpdateExpression: "SET n = :n",
        ConditionExpression: "attribute_exists(gone)",
        ExpressionAttributeValues: { ":n": { N: "1" } },
      });
    for (let attempt = 0; attempt < 2; attempt++)
      expect(await failure(update())).toMatchObject({ exception: "ConditionalCheckFailedException" });
    expect(await failure(put("b"))).toMatchObject({ exception: "ThrottlingException" });
    expect((await get("b")).Item).toBeUndefined();
  });

  test("is throttled by the exception of provisioned tables there", async () => {
    const { put } = await opened({ writeUnitsPerSecond: 1 }, "PROVISIONED");
    await put("a");
    expect(await failure(put("b"))).toMatchObject({
      exception: "ProvisionedThroughputExceededException",
      throttlingReasons: [{ reason: "TableWriteKeyRangeThroughputExceeded", resource }],
    });
  });
});

describe("indexes", () => {
  const query = (IndexName: string | undefined, condition: string, values: object) => ({
    TableName,
    ...(IndexName && { IndexName }),
    KeyConditionExpression: condition,
    ExpressionAttributeValues: values as never,
  });

  test("a local index shares the partitions of its table, a global index has its own", async () => {
    const { engine, put } = await opened(
      { readUnitsPerSecond: 1, writeUnitsPerSecond: 4 },
      "PAY_PER_REQUEST",
    );
    await put("a", "p", { tag: { S: "t" } });
    await put("b", "p", { tag: { S: "t" } });
    // Each cost a unit of the table, and one of the local index.
    expect(await failure(put("c"))).toMatchObject(throttled("TableWriteKeyRangeThroughputExceeded"));
    const inPartition = (index?: string) => engine.query(query(index, "pk = :p", { ":p": { S: "p" } }));
    const inTags = () => engine.query(query("tags", "tag = :t", { ":t": { S: "t" } }));
    await inPartition("by-tag");
    await inPartition();
    expect(await failure(inPartition())).toMatchObject(throttled("TableReadKeyRangeThroughputExceeded"));
    await inTags();
    await inTags();
    expect(await failure(inTags())).toMatchObject(
      throttled("IndexReadKeyRangeThroughputExceeded", `${resource}/index/tags`),
    );
    expect((await engine.scan({ TableName })).Count).toBe(2);
  });
});

describe("requests on several items", () => {
  test("a batch returns what was not processed, and is throttled if that is everything", async () => {
    const { engine, key, put } = await opened(
      { readUnitsPerSecond: 1, writeUnitsPerSecond: 1 },
      "PAY_PER_REQUEST",
    );
    await put("a");
    const write = (pks: readonly string[]) =>
      engine.batchWriteItem({
        RequestItems: { [TableName]: pks.map((pk) => ({ PutRequest: { Item: key("b", pk) } })) },
      });
    expect((await write(["p", "q"])).UnprocessedItems).toEqual({
      [TableName]: [{ PutRequest: { Item: key("b", "p") } }],
    });
    expect(await failure(write(["p", "q"]))).toMatchObject(throttled("TableWriteKeyRangeThroughputExceeded"));
    const read = (pks: readonly string[]) =>
      engine.batchGetItem({
        RequestItems: { [TableName]: { Keys: pks.map((pk) => key("b", pk)), ConsistentRead: true } },
      });
    await read(["p"]);
    const { Responses, UnprocessedKeys } = await read(["p", "q"]);
    expect(Responses?.[TableName]).toEqual([key("b", "q")]);
    expect(UnprocessedKeys?.[TableName]?.Keys).toEqual([key("b", "p")]);
    expect(await failure(read(["p"]))).toMatchObject(throttled("TableReadKeyRangeThroughputExceeded"));
  });

  test("a transaction is cancelled, with a reason for each action", async () => {
    const { engine, key, put } = await opened(
      { readUnitsPerSecond: 1, writeUnitsPerSecond: 1 },
      "PAY_PER_REQUEST",
    );
    await put("a");
    const actions = (pks: readonly string[]) => pks.map((pk) => ({ Put: { TableName, Item: key("c", pk) } }));
    expect(await failure(engine.transactWriteItems({ TransactItems: actions(["q", "p"]) }))).toMatchObject({
      exception: "TransactionCanceledException",
      cancellationReasons: [{ Code: "None" }, { Code: "ThrottlingError" }],
    });
    await engine.transactWriteItems({ TransactItems: actions(["q"]) });
    const gets = () => engine.transactGetItems({ TransactItems: [{ Get: { TableName, Key: key("a") } }] });
    await gets();
    expect(await failure(gets())).toMatchObject({ cancellationReasons: [{ Code: "ThrottlingError" }] });
  });

  test("statements are limited like the operations that they stand for", async () => {
    const { engine, key, put } = await opened(
      { readUnitsPerSecond: 1, writeUnitsPerSecond: 1 },
      "PAY_PER_REQUEST",
    );
    await put("a");
    const insert = { Statement: `INSERT INTO "items" VALUE {'pk': 'p', 'sk': 's'}` };
    const select = { Statement: `SELECT * FROM "items" WHERE pk = 'p' AND sk = 'a'`, ConsistentRead: true };
    expect(await failure(engine.executeStatement(insert))).toMatchObject({
      exception: "ThrottlingException",
    });
    expect((await engine.batchExecuteStatement({ Statements: [insert] })).Responses).toMatchObject([
      { Error: { Code: "ThrottlingError" } },
    ]);
    expect((await engine.executeStatement(select)).Items).toEqual([key("a")]);
    expect(await failure(engine.executeStatement(select))).toMatchObject({
      exception: "ThrottlingException",
    });
    expect(
      await failure(engine.executeTransaction({ TransactStatements: [{ Statement: select.Statement }] })),
    ).toMatchObject({
      cancellationReasons: [{ Code: "ThrottlingError" }],
    });
  });
});

test.each([{ writeUnitsPerSecond: 0 }, { burst: 1 }, { burstSeconds: "1" }])("rejects %o", async (limits) => {
  const behavior = { partitionLimits: limits as never };
  await expect(openEngine({ storage: { kind: "memory" }, behavior })).rejects.toMatchObject({
    code: "ENGINE_OPTION_INVALID",
  });
});
