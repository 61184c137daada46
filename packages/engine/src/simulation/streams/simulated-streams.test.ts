import type { ChangeRecord, DynamoPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import { openEngine } from "../../engine.ts";
import type { StreamBehavior } from "../behavior-options.ts";

const TableName = "things";

async function opened(streams: StreamBehavior, seed = 1) {
  const clock = fakeClock();
  const engine = await openEngine({ storage: { kind: "memory" }, clock, behavior: { seed, streams } });
  const { TableDescription } = await engine.createTable({
    TableName,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_IMAGE" },
  });
  const StreamArn = TableDescription?.LatestStreamArn ?? "";
  const put = (pk: string, n: number) =>
    engine.putItem({ TableName, Item: { pk: { S: pk }, n: { N: String(n) } } });
  return { engine, clock, StreamArn, put };
}

async function shardsOf(port: DynamoPort, StreamArn: string, Limit?: number) {
  const shards = [];
  let from: string | undefined;
  do {
    const { StreamDescription } = await port.describeStream({
      StreamArn,
      Limit,
      ExclusiveStartShardId: from,
    });
    shards.push(...(StreamDescription?.Shards ?? []));
    from = StreamDescription?.LastEvaluatedShardId;
  } while (from !== undefined);
  return shards;
}

/** Reads a shard until it ends or has nothing more. */
async function readShard(port: DynamoPort, StreamArn: string, ShardId: string | undefined) {
  const start = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
  let { ShardIterator } = await port.getShardIterator(start);
  const records: ChangeRecord[] = [];
  let empty = 0;
  while (ShardIterator !== undefined && empty < 10) {
    const { Records = [], NextShardIterator } = await port.getRecords({ ShardIterator });
    records.push(...Records);
    empty = Records.length === 0 ? empty + 1 : 0;
    ShardIterator = NextShardIterator;
  }
  return { records, ended: ShardIterator === undefined };
}

const numbers = (records: readonly ChangeRecord[]) =>
  records.map(({ dynamodb }) => Number(dynamodb?.NewImage?.["n"]?.N));

describe("late records", () => {
  test("appear after their delay", async () => {
    const { engine, clock, StreamArn, put } = await opened({ lagMs: 100 });
    await put("a", 1);
    const [shard] = await shardsOf(engine, StreamArn);
    await clock.advance(99);
    expect((await readShard(engine, StreamArn, shard?.ShardId)).records).toEqual([]);
    await clock.advance(1);
    expect(numbers((await readShard(engine, StreamArn, shard?.ShardId)).records)).toEqual([1]);
  });

  test("of different items are swapped, those of one item are not, and the seed repeats them", async () => {
    const orderOf = async (seed: number) => {
      const { engine, clock, StreamArn, put } = await opened({ lagMs: [0, 1000] }, seed);
      for (let n = 0; n < 30; n++) await put("abc"[n % 3] ?? "", n);
      await clock.advance(1000);
      const [shard] = await shardsOf(engine, StreamArn);
      return numbers((await readShard(engine, StreamArn, shard?.ShardId)).records);
    };
    const order = await orderOf(1);
    expect(order).not.toEqual(order.toSorted((one, two) => one - two));
    for (const item of [0, 1, 2]) {
      const ofItem = order.filter((n) => n % 3 === item);
      expect(ofItem).toEqual(ofItem.toSorted((one, two) => one - two));
      expect(ofItem).toHaveLength(10);
    }
    expect(await orderOf(1)).toEqual(order);
    expect(await orderOf(2)).not.toEqual(order);
  });

  test("of one transaction appear apart", async () => {
    const { engine, clock, StreamArn } = await opened({ lagMs: [0, 1000] });
    const TransactItems = ["a", "b", "c", "d", "e", "f"].map((pk, n) => ({
      Put: { TableName, Item: { pk: { S: pk }, n: { N: String(n) } } },
    }));
    await engine.transactWriteItems({ TransactItems });
    await clock.advance(500);
    const [shard] = await shardsOf(engine, StreamArn);
    const { records } = await readShard(engine, StreamArn, shard?.ShardId);
    expect(records.length).toBeGreaterThan(0);
    expect(records.length).toBeLessThan(6);
  });
});

describe("shards", () => {
  test("split: a closed shard ends, and its children have its items", async () => {
    const { engine, StreamArn, put } = await opened({ shards: 2, shardRecords: [3, 6] });
    for (let n = 0; n < 120; n++) await put(String(n % 20), n);
    const shards = await shardsOf(engine, StreamArn, 3);
    expect(shards).toEqual(await shardsOf(engine, StreamArn));
    const open = shards.filter(({ SequenceNumberRange }) => !SequenceNumberRange?.EndingSequenceNumber);
    expect(open.length).toBeGreaterThan(4);
    expect(open.length).toBeLessThanOrEqual(8);
    const seen: number[] = [];
    for (const { ShardId, SequenceNumberRange, ParentShardId } of shards) {
      const { records, ended } = await readShard(engine, StreamArn, ShardId);
      expect(ended).toBe(SequenceNumberRange?.EndingSequenceNumber !== undefined);
      if (ParentShardId !== undefined) {
        expect(shards.findIndex((each) => each.ShardId === ParentShardId)).toBeLessThan(
          shards.findIndex((each) => each.ShardId === ShardId),
        );
      }
      seen.push(...numbers(records));
    }
    expect(seen.toSorted((one, two) => one - two)).toEqual(Array.from({ length: 120 }, (_, n) => n));
  });

  test("that are trimmed are listed no longer", async () => {
    const { engine, clock, StreamArn, put } = await opened({ shardRecords: 2, retentionMs: 1000 });
    for (let n = 0; n < 10; n++) await put("a", n);
    const before = await shardsOf(engine, StreamArn);
    await clock.advance(1001);
    const after = await shardsOf(engine, StreamArn);
    expect(after.length).toBeLessThan(before.length);
    expect(after[0]?.ParentShardId).toBeDefined();
  });
});

test("an iterator expires, and a trimmed position is an error", async () => {
  const { engine, clock, StreamArn, put } = await opened({ iteratorMs: 10, retentionMs: 1000 });
  await put("a", 1);
  const [shard] = await shardsOf(engine, StreamArn);
  const start = { StreamArn, ShardId: shard?.ShardId };
  const { ShardIterator } = await engine.getShardIterator({ ...start, ShardIteratorType: "TRIM_HORIZON" });
  const { Records } = await engine.getRecords({ ShardIterator });
  await clock.advance(11);
  await expect(engine.getRecords({ ShardIterator })).rejects.toMatchObject({
    code: "DYNAMO_EXPIRED_ITERATOR",
  });
  await clock.advance(1000);
  const SequenceNumber = Records?.[0]?.dynamodb?.SequenceNumber;
  const after = { ...start, ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber } as const;
  await expect(engine.getShardIterator(after)).rejects.toMatchObject({ code: "DYNAMO_TRIMMED_DATA_ACCESS" });
});

test("empty pages precede records", async () => {
  const { engine, StreamArn, put } = await opened({ emptyPages: 2 });
  await put("a", 1);
  const [shard] = await shardsOf(engine, StreamArn);
  const start = { StreamArn, ShardId: shard?.ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
  let { ShardIterator } = await engine.getShardIterator(start);
  const lengths: number[] = [];
  for (let reads = 0; reads < 4; reads++) {
    const { Records = [], NextShardIterator } = await engine.getRecords({ ShardIterator });
    lengths.push(Records.length);
    ShardIterator = NextShardIterator;
  }
  expect(lengths).toEqual([0, 0, 1, 0]);
});
