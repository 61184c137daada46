import { type Item, isDynamoError } from "@tablekeep/core";
import { type FakeClock, fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { type Engine, openEngine } from "../engine.ts";
import type { EngineBehavior } from "./behavior-options.ts";

const TableName = "items";
const definition = {
  TableName,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: ["pk", "sk", "tag"].map((AttributeName) => ({
    AttributeName,
    AttributeType: "S" as const,
  })),
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: "tags",
      KeySchema: [{ AttributeName: "tag", KeyType: "HASH" }],
      Projection: { ProjectionType: "ALL" },
    },
  ],
} as const;

async function opened(behavior: EngineBehavior): Promise<{ engine: Engine; clock: FakeClock }> {
  const clock = fakeClock();
  const engine = await openEngine({ storage: { kind: "memory" }, clock, behavior });
  await engine.createTable(structuredClone(definition) as never);
  return { engine, clock };
}

const item = (sk: string, more: Item = {}): Item => ({ pk: { S: "p" }, sk: { S: sk }, ...more });
const put = (engine: Engine, sk: string, more?: Item) => engine.putItem({ TableName, Item: item(sk, more) });
const sortKeys = (items: readonly Item[] | undefined) =>
  (items ?? []).map(({ sk }) => (sk as { S: string }).S);

async function inPartition(engine: Engine, more: object = {}): Promise<string[]> {
  const { Items } = await engine.query({
    TableName,
    KeyConditionExpression: "pk = :p",
    ExpressionAttributeValues: { ":p": { S: "p" } },
    ...more,
  });
  return sortKeys(Items);
}

async function inIndex(engine: Engine, tag: string): Promise<string[]> {
  const { Items } = await engine.query({
    TableName,
    IndexName: "tags",
    KeyConditionExpression: "tag = :t",
    ExpressionAttributeValues: { ":t": { S: tag } },
  });
  return sortKeys(Items);
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("throttling", () => {
  test("rejects requests with AWS's reason and table", async () => {
    const { engine } = await opened({ throttling: [{ operations: ["PutItem"], requests: [2, 3] }] });
    await put(engine, "1");
    for (const attempt of [2, 3]) {
      expect(await failure(put(engine, String(attempt)))).toMatchObject({
        kind: "throttled",
        retryable: true,
        ambiguous: false,
        details: {
          exception: "ProvisionedThroughputExceededException",
          throttlingReasons: [
            {
              reason: "TableWriteProvisionedThroughputExceeded",
              resource: "arn:aws:dynamodb:us-east-1:000000000000:table/items",
            },
          ],
        },
      });
    }
    await put(engine, "4");
    expect(await inPartition(engine)).toEqual(["1", "4"]);
  });

  test("uses exception and reason of its rule, and does not affect other tables", async () => {
    const { engine } = await opened({
      throttling: [
        { table: "other-table" },
        {
          operations: ["Query"],
          exception: "ThrottlingException",
          reason: "IndexReadKeyRangeThroughputExceeded",
        },
      ],
    });
    await put(engine, "1");
    expect(await failure(inPartition(engine))).toMatchObject({
      details: {
        exception: "ThrottlingException",
        throttlingReasons: [{ reason: "IndexReadKeyRangeThroughputExceeded" }],
      },
    });
  });

  test("recognizes the table of a statement, and whether it reads", async () => {
    const { engine } = await opened({ throttling: [{ table: TableName }] });
    const run = (Statement: string) => failure(engine.executeStatement({ Statement }));
    const resource = `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}`;
    const because = (reason: string) => ({ details: { throttlingReasons: [{ reason, resource }] } });
    expect(await run(`SELECT * FROM ${TableName}`)).toMatchObject(
      because("TableReadProvisionedThroughputExceeded"),
    );
    expect(await run(`DELETE FROM "${TableName}" WHERE pk = 'p' AND sk = '1'`)).toMatchObject(
      because("TableWriteProvisionedThroughputExceeded"),
    );
    expect(await run("SELECT * FROM others")).toMatchObject({ kind: "not-found" });
    expect(await run("SELECT nothing at all")).toMatchObject({
      details: { exception: "ValidationException" },
    });
    const Statement = `SELECT * FROM ${TableName} WHERE pk = 'p' AND sk = '1'`;
    expect(await failure(engine.batchExecuteStatement({ Statements: [{ Statement }] }))).toMatchObject(
      because("TableReadProvisionedThroughputExceeded"),
    );
    expect(await failure(engine.executeTransaction({ TransactStatements: [{ Statement }] }))).toMatchObject({
      details: { cancellationReasons: [{ Code: "ProvisionedThroughputExceeded" }] },
    });
  });

  test("cancels a transaction with a reason for each of its actions", async () => {
    const { engine } = await opened({ throttling: [{ table: TableName }] });
    const other = { ...structuredClone(definition), TableName: "others" };
    await engine.createTable(other as never);
    const TransactItems = ["others", TableName].map((name) => ({
      Put: { TableName: name, Item: item("1") },
    }));
    expect(await failure(engine.transactWriteItems({ TransactItems }))).toMatchObject({
      details: {
        exception: "TransactionCanceledException",
        cancellationReasons: [{ Code: "None" }, { Code: "ProvisionedThroughputExceeded" }],
      },
    });
  });

  test("is determined by its seed", async () => {
    const run = async (seed: number) => {
      const { engine } = await opened({ seed, throttling: [{ probability: 0.5, operations: ["PutItem"] }] });
      const results = [];
      for (let at = 0; at < 40; at++) results.push((await failure(put(engine, String(at)))) === undefined);
      return results;
    };
    const first = await run(7);
    expect(await run(7)).toEqual(first);
    expect(await run(8)).not.toEqual(first);
    expect(first.filter(Boolean).length).toBeGreaterThan(8);
    expect(first.filter(Boolean).length).toBeLessThan(32);
  });
});

describe("transactions that take time", () => {
  const transact = (engine: Engine, ...keys: string[]) =>
    engine.transactWriteItems({ TransactItems: keys.map((sk) => ({ Put: { TableName, Item: item(sk) } })) });
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test("become visible to a query item by item, and are acknowledged after the last", async () => {
    const { engine, clock } = await opened({ transactionMs: 40 });
    let acknowledged = false;
    const write = transact(engine, "a", "b", "c", "d").then(() => {
      acknowledged = true;
    });
    await turn();
    const seen: string[] = [];
    for (let step = 0; step < 4; step++) {
      seen.push((await inPartition(engine)).join(""));
      expect(acknowledged).toBe(false);
      await clock.advance(10);
    }
    await write;
    expect([...seen, (await inPartition(engine)).join("")]).toEqual(["", "a", "ab", "abc", "abcd"]);
  });

  test("do so in any order, determined by the seed", async () => {
    const order = async (seed: number) => {
      const { engine, clock } = await opened({ transactionMs: 40, transactionOrder: "any", seed });
      const write = transact(engine, "a", "b", "c", "d");
      await turn();
      const seen: string[] = [];
      for (let step = 0; step < 4; step++) {
        await clock.advance(10);
        seen.push((await inPartition(engine)).join(""));
      }
      await write;
      return seen;
    };
    const stories = await Promise.all([1, 2, 3, 4, 1].map(order));
    for (const story of stories) expect(story.map((seen) => seen.length)).toEqual([1, 2, 3, 4]);
    expect(stories[4]).toEqual(stories[0]);
    expect(new Set(stories.map((story) => story.join())).size).toBeGreaterThan(1);
  });

  test("unlock each item once it is visible", async () => {
    const { engine, clock } = await opened({ transactionMs: 30 });
    const write = transact(engine, "a", "b", "c");
    await turn();
    await clock.advance(20);
    await put(engine, "b", { v: { N: "2" } });
    expect(await failure(put(engine, "c"))).toSatisfy((error) =>
      isDynamoError(error, "TransactionConflictException"),
    );
    await clock.advance(10);
    await write;
    expect((await engine.getItem({ TableName, Key: item("b") })).Item?.["v"]).toEqual({ N: "2" });
  });

  test("show old and deleted items until then, in both orders", async () => {
    const { engine, clock } = await opened({ transactionMs: 30 });
    for (const sk of ["a", "b", "c"]) await put(engine, sk, { v: { N: "1" } });
    const write = engine.transactWriteItems({
      TransactItems: [
        { Delete: { TableName, Key: item("a") } },
        { Put: { TableName, Item: item("b", { v: { N: "2" } }) } },
        { Put: { TableName, Item: item("bb") } },
      ],
    });
    await turn();
    expect(await inPartition(engine)).toEqual(["a", "b", "c"]);
    await clock.advance(10);
    expect(await inPartition(engine)).toEqual(["b", "c"]);
    expect(await inPartition(engine, { ScanIndexForward: false })).toEqual(["c", "b"]);
    const { Item: b } = await engine.getItem({ TableName, Key: item("b") });
    expect(b?.["v"]).toEqual({ N: "1" });
    await clock.advance(10);
    const { Item: after } = await engine.getItem({ TableName, Key: item("b") });
    expect(after?.["v"]).toEqual({ N: "2" });
    await clock.advance(10);
    await write;
    expect(await inPartition(engine, { ScanIndexForward: false })).toEqual(["c", "bb", "b"]);
  });

  test("conflict with everything that uses their items, and with nothing once they are done", async () => {
    const { engine, clock } = await opened({ transactionMs: 30 });
    const write = transact(engine, "a", "b");
    await turn();
    for (const call of [
      put(engine, "a"),
      engine.deleteItem({ TableName, Key: item("b") }),
      engine.updateItem({ TableName, Key: item("a") }),
    ]) {
      expect(await failure(call)).toSatisfy((error) => isDynamoError(error, "TransactionConflictException"));
    }
    expect(await failure(transact(engine, "z", "b"))).toMatchObject({
      details: { cancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict" }] },
    });
    const read = { TransactItems: [{ Get: { TableName, Key: item("a") } }] };
    expect(await failure(engine.transactGetItems(read))).toMatchObject({
      details: { cancellationReasons: [{ Code: "TransactionConflict" }] },
    });
    await put(engine, "z");
    await clock.advance(30);
    await write;
    await put(engine, "a");
    expect((await engine.transactGetItems(read)).Responses?.[0]?.Item).toEqual(item("a"));
  });

  test("are in progress for a caller that sends them again with their token", async () => {
    const { engine, clock } = await opened({ transactionMs: 30 });
    const send = () =>
      engine.transactWriteItems({
        ClientRequestToken: "token",
        TransactItems: [{ Put: { TableName, Item: item("a") } }],
      });
    const first = send();
    await turn();
    expect(await failure(send())).toSatisfy((error) =>
      isDynamoError(error, "TransactionInProgressException"),
    );
    await clock.advance(30);
    await first;
    const again = send();
    await turn();
    await clock.advance(30);
    await again;
  });
});

describe("pages that end early", () => {
  test("contain every item exactly once when followed to the end", async () => {
    const { engine } = await opened({ pageItems: [1, 3], seed: 3 });
    const keys = Array.from({ length: 20 }, (_, at) => String(at).padStart(2, "0"));
    for (const sk of keys) await put(engine, sk);
    const pages: string[][] = [];
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await engine.query({
        TableName,
        KeyConditionExpression: "pk = :p",
        ExpressionAttributeValues: { ":p": { S: "p" } },
        ExclusiveStartKey,
      });
      pages.push(sortKeys(page.Items));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    expect(pages.flat()).toEqual(keys);
    expect(new Set(pages.map(({ length }) => length))).toContain(1);
    expect(new Set(pages.map(({ length }) => length))).toContain(3);
  });

  test("apply to statements, too", async () => {
    const { engine } = await opened({ pageItems: 3 });
    const keys = Array.from({ length: 8 }, (_, at) => String(at));
    for (const sk of keys) await put(engine, sk);
    const pages: string[][] = [];
    let NextToken: string | undefined;
    do {
      const page = await engine.executeStatement({ Statement: `SELECT * FROM ${TableName}`, NextToken });
      pages.push(sortKeys(page.Items));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    expect(pages.map(({ length }) => length)).toEqual([3, 3, 2]);
    expect(pages.flat()).toEqual(keys);
  });

  test("do not override a smaller limit of the caller", async () => {
    const { engine } = await opened({ pageItems: 5 });
    for (const sk of ["a", "b", "c"]) await put(engine, sk);
    expect(await inPartition(engine, { Limit: 2 })).toEqual(["a", "b"]);
    expect(await inPartition(engine, { Limit: 9 })).toEqual(["a", "b", "c"]);
  });
});

describe("global indexes that lag", () => {
  test("show writes later than the table, in their order", async () => {
    const { engine, clock } = await opened({ indexLagMs: 100 });
    await put(engine, "a", { tag: { S: "x" } });
    expect(await inPartition(engine)).toEqual(["a"]);
    expect(await inIndex(engine, "x")).toEqual([]);
    await clock.advance(60);
    await put(engine, "a", { tag: { S: "y" } });
    expect([await inIndex(engine, "x"), await inIndex(engine, "y")]).toEqual([[], []]);
    await clock.advance(40);
    expect([await inIndex(engine, "x"), await inIndex(engine, "y")]).toEqual([["a"], []]);
    await clock.advance(60);
    expect([await inIndex(engine, "x"), await inIndex(engine, "y")]).toEqual([[], ["a"]]);
  });

  test("are up to date after a restore", async () => {
    const { engine } = await opened({ indexLagMs: 100 });
    const checkpoint = await engine.checkpoint();
    await put(engine, "a", { tag: { S: "x" } });
    await engine.restore(checkpoint);
    expect(await inIndex(engine, "x")).toEqual([]);
    const { Count } = await engine.scan({ TableName, IndexName: "tags" });
    expect(Count).toBe(0);
  });
});

describe("tables that take time", () => {
  const status = async (engine: Engine) => (await engine.describeTable({ TableName })).Table?.TableStatus;

  test("are CREATING, then ACTIVE; UPDATING; DELETING, then gone", async () => {
    const { engine, clock } = await opened({ tableChangeMs: 100 });
    expect(await status(engine)).toBe("CREATING");
    expect(await failure(put(engine, "a"))).toSatisfy((error) =>
      isDynamoError(error, "ResourceNotFoundException"),
    );
    const remove = () => engine.deleteTable({ TableName });
    expect(await failure(remove())).toMatchObject({
      details: {
        exception: "ResourceInUseException",
        serviceMessage: expect.stringContaining("being created"),
      },
    });
    await clock.advance(100);
    expect(await status(engine)).toBe("ACTIVE");
    await put(engine, "a");

    await engine.updateTable({ TableName, DeletionProtectionEnabled: false });
    expect(await status(engine)).toBe("UPDATING");
    await put(engine, "b");
    await clock.advance(100);

    const answer = await remove();
    expect(answer.TableDescription?.TableStatus).toBe("DELETING");
    expect(await status(engine)).toBe("DELETING");
    const create = () => engine.createTable(structuredClone(definition) as never);
    expect(await failure(create())).toSatisfy((error) => isDynamoError(error, "ResourceInUseException"));
    await clock.advance(100);
    expect(await failure(status(engine))).toSatisfy((error) =>
      isDynamoError(error, "ResourceNotFoundException"),
    );
    expect((await create()).TableDescription?.TableStatus).toBe("CREATING");
  });
});
