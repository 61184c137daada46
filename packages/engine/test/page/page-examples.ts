/** The examples of `docs/reference/engine.md`, verbatim, so that they compile and run. */
import { sdkClient } from "@tablekeep/client";
import { type DynamoPort, isDynamoError, isTablekeepError } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { fakeClock, faultyPort } from "@tablekeep/testkit";

export async function inFolder(path: string): Promise<string[]> {
  await using engine = await openEngine({ storage: { kind: "folder", path } });
  const { TableNames = [] } = await engine.listTables({});
  return TableNames;
}

export async function throughSdk(): Promise<unknown> {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  const client = await sdkClient(engine);
  return client;
}

async function makeCarts(port: DynamoPort): Promise<void> {
  await port.createTable({
    TableName: "carts",
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [
      { AttributeName: "id", AttributeType: "S" },
      { AttributeName: "state", AttributeType: "S" },
    ],
    KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
    GlobalSecondaryIndexes: [
      {
        IndexName: "by-state",
        KeySchema: [{ AttributeName: "state", KeyType: "HASH" }],
        Projection: { ProjectionType: "ALL" },
      },
    ],
  });
}

export async function expiry(): Promise<number[]> {
  const clock = fakeClock();
  await using engine = await openEngine({ storage: { kind: "memory" }, clock });
  await makeCarts(engine);
  await engine.updateTimeToLive({
    TableName: "carts",
    TimeToLiveSpecification: { Enabled: true, AttributeName: "expires" },
  });
  const expires = { N: String(Math.floor(clock.now() / 1000) + 60) };
  await engine.putItem({ TableName: "carts", Item: { id: { S: "1" }, expires } });
  const { Count: before = -1 } = await engine.scan({ TableName: "carts" });
  await clock.advance(80_000);
  const { Count: after = -1 } = await engine.scan({ TableName: "carts" });
  return [before, after];
}

export async function checkpoints(): Promise<number> {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await makeCarts(engine);
  const seeded = await engine.checkpoint();

  await engine.putItem({ TableName: "carts", Item: { id: { S: "1" } } });
  await engine.restore(seeded);
  const { Count = -1 } = await engine.scan({ TableName: "carts" });
  return Count;
}

export async function throttling(): Promise<string | undefined> {
  await using engine = await openEngine({
    storage: { kind: "memory" },
    behavior: {
      throttling: [{ table: "carts", operations: ["PutItem"], requests: [1, 2] }],
    },
  });
  await makeCarts(engine);
  const put = () => engine.putItem({ TableName: "carts", Item: { id: { S: "1" } } });
  const reasons: (string | undefined)[] = [];
  for (let attempt = 1; attempt <= 3; attempt++) {
    await put().catch((error: unknown) => {
      if (!isDynamoError(error, "ProvisionedThroughputExceededException")) throw error;
      reasons.push(error.details.throttlingReasons?.[0]?.reason);
    });
  }
  return reasons.join();
}

export async function streamShards(): Promise<number> {
  await using engine = await openEngine({
    storage: { kind: "memory" },
    behavior: {
      streams: { shards: 2, shardRecords: [20, 50], lagMs: [0, 500] },
    },
  });
  await makeCarts(engine);
  const { TableDescription } = await engine.updateTable({
    TableName: "carts",
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
  });
  const { StreamDescription } = await engine.describeStream({ StreamArn: TableDescription?.LatestStreamArn });
  return StreamDescription?.Shards?.length ?? 0;
}

export async function conflicts(): Promise<string[]> {
  const clock = fakeClock();
  await using engine = await openEngine({
    storage: { kind: "memory" },
    clock,
    behavior: { transactionMs: 100 },
  });
  await makeCarts(engine);
  const move = (from: string, to: string) =>
    engine.transactWriteItems({
      TransactItems: [from, to].map((id) => ({ Put: { TableName: "carts", Item: { id: { S: id } } } })),
    });
  const first = move("a", "b");
  const second = move("b", "c").then(
    () => "done",
    (error: unknown) => (isTablekeepError(error) ? error.kind : "?"),
  );
  const codes = [await second];
  await clock.advance(50);
  const { Items = [] } = await engine.scan({ TableName: "carts" });
  await clock.advance(50);
  await first;
  return [...codes, ...Items.map(({ id }) => id?.S ?? "")];
}

export async function partitionLimits(): Promise<string> {
  const clock = fakeClock();
  await using engine = await openEngine({
    storage: { kind: "memory" },
    clock,
    behavior: { partitionLimits: {} },
  });
  await makeCarts(engine);
  const put = () => engine.putItem({ TableName: "carts", Item: { id: { S: "1" } } });
  for (let writes = 0; writes < 1000; writes++) await put();
  return put().then(
    () => "accepted",
    (error: unknown) => (isDynamoError(error) ? error.details.exception : "?"),
  );
}

export async function pages(): Promise<number> {
  await using engine = await openEngine({ storage: { kind: "memory" }, behavior: { pageItems: [1, 3] } });
  await makeCarts(engine);
  for (const id of ["1", "2", "3", "4"]) {
    await engine.putItem({ TableName: "carts", Item: { id: { S: id } } });
  }
  const { Count = 0, LastEvaluatedKey } = await engine.scan({ TableName: "carts" });
  return LastEvaluatedKey === undefined ? -1 : Count;
}

export async function lag(): Promise<number[]> {
  const clock = fakeClock();
  await using engine = await openEngine({
    storage: { kind: "memory" },
    clock,
    behavior: { indexLagMs: [20, 200] },
  });
  await makeCarts(engine);
  await engine.putItem({ TableName: "carts", Item: { id: { S: "1" }, state: { S: "open" } } });
  const open = () =>
    engine.query({
      TableName: "carts",
      IndexName: "by-state",
      KeyConditionExpression: "#s = :open",
      ExpressionAttributeNames: { "#s": "state" },
      ExpressionAttributeValues: { ":open": { S: "open" } },
    });
  const { Count: atOnce = -1 } = await open();
  await clock.advance(200);
  const { Count: later = -1 } = await open();
  return [atOnce, later];
}

export async function faults(): Promise<boolean> {
  await using engine = await openEngine({ storage: { kind: "memory" } });
  await makeCarts(engine);
  const port = faultyPort(engine, "seed=1 faults=[{nth:1,op:PutItem,kind:lost-after-apply}]");
  try {
    await port.putItem({ TableName: "carts", Item: { id: { S: "1" } } });
  } catch (error) {
    return isTablekeepError(error) && error.ambiguous;
  }
  return false;
}
