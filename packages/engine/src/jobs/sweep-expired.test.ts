import type { AttributeValue, DynamoPort } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import {
  countEntries,
  define,
  describeThings,
  keySchema,
  openTestDatabase,
  PersistentTestStorage,
  putAll,
  rejectionOf,
  scanAll,
  tableInput,
} from "../../test/tables.ts";
import { regions } from "../catalog/storage-keys.ts";
import { openEngine } from "../engine.ts";
import { MemoryStorage } from "../storage/memory-storage.ts";
import { sweepEveryMs } from "./background.ts";
import { sweepExpired } from "./sweep-expired.ts";

const TableName = "things";
const spec = (Enabled: boolean, AttributeName = "ttl") => ({
  TimeToLiveSpecification: { Enabled, AttributeName },
});
const n = (value: number): AttributeValue => ({ N: String(value) });

async function opened(storage = new PersistentTestStorage()) {
  const clock = fakeClock();
  const opening = openTestDatabase(storage, { clock });
  await opening.port.createTable(
    tableInput({
      AttributeDefinitions: define("pk", "g"),
      GlobalSecondaryIndexes: [
        { IndexName: "by-g", KeySchema: keySchema("g"), Projection: { ProjectionType: "ALL" } },
      ],
      StreamSpecification: { StreamEnabled: true, StreamViewType: "OLD_IMAGE" },
    }),
  );
  return { ...opening, clock, storage, seconds: clock.now() / 1000 };
}

async function names(port: DynamoPort, index?: string): Promise<(string | undefined)[]> {
  return (await scanAll(port, index)).map((item) => item["pk"]?.S).sort();
}

async function put(port: DynamoPort, pk: string, ttl?: AttributeValue): Promise<void> {
  await port.putItem({ TableName, Item: { pk: { S: pk }, g: { S: "g" }, ...(ttl && { ttl }) } });
}

describe("sweepExpired", () => {
  test("deletes expired items from the table and its indexes, and nothing else", async () => {
    const { port, database, seconds, storage } = await opened();
    await port.updateTimeToLive({ TableName, ...spec(true) });
    await database.background.idle();
    const fiveYears = 5 * 365 * 24 * 60 * 60;
    await put(port, "expired", n(seconds - 1));
    await put(port, "a fraction ago", n(seconds - 0.5));
    await put(port, "almost five years ago", n(seconds - fiveYears));
    await put(port, "more than five years ago", n(seconds - fiveYears - 1));
    await put(port, "now", n(seconds));
    await put(port, "later", n(seconds + 1));
    await put(port, "milliseconds", n(seconds * 1000));
    await put(port, "text", { S: String(seconds - 1) });
    await put(port, "below zero", n(-5));
    await put(port, "none");
    expect((await names(port)).length).toBe(10);
    expect(await sweepExpired(database)).toBe(3);
    const left = ["below zero", "later", "milliseconds", "more than five years ago", "none", "now", "text"];
    expect(await names(port)).toEqual(left);
    expect(await names(port, "by-g")).toEqual(left);
    expect(await describeThings(port)).toMatchObject({
      ItemCount: 7,
      GlobalSecondaryIndexes: [{ ItemCount: 7 }],
    });
    expect(countEntries(storage, regions.expiry)).toBe(4);
    expect(await sweepExpired(database)).toBe(0);
  });

  test("keeps an item whose expiry was postponed", async () => {
    const { port, database, clock, seconds } = await opened();
    await port.updateTimeToLive({ TableName, ...spec(true) });
    await database.background.idle();
    await put(port, "renewed", n(seconds + 5));
    await put(port, "removed", n(seconds + 5));
    await put(port, "freed", n(seconds + 5));
    await clock.advance(6_000);
    const renewal = put(port, "renewed", n(seconds + 500));
    const removal = port.deleteItem({ TableName, Key: { pk: { S: "removed" } } });
    const freeing = put(port, "freed");
    const swept = sweepExpired(database);
    await Promise.all([renewal, removal, freeing]);
    expect(await swept).toBe(0);
    expect(await names(port)).toEqual(["freed", "renewed"]);
  });

  test("reports the deletion in the stream as the service's own", async () => {
    const { port, database, seconds } = await opened();
    await port.updateTimeToLive({ TableName, ...spec(true) });
    await put(port, "expired", n(seconds - 1));
    await sweepExpired(database);
    const { LatestStreamArn: StreamArn } = await describeThings(port);
    const { StreamDescription } = await port.describeStream({ StreamArn });
    const { ShardIterator } = await port.getShardIterator({
      StreamArn,
      ShardId: StreamDescription?.Shards?.[0]?.ShardId,
      ShardIteratorType: "TRIM_HORIZON",
    });
    const { Records } = await port.getRecords({ ShardIterator });
    expect(Records?.map(({ eventName, userIdentity }) => [eventName, userIdentity])).toEqual([
      ["INSERT", undefined],
      ["REMOVE", { Type: "Service", PrincipalId: "dynamodb.amazonaws.com" }],
    ]);
    expect(Records?.[1]?.dynamodb?.OldImage?.["pk"]).toEqual({ S: "expired" });
  });

  test("includes items from before expiry was enabled, even after a restart in between", async () => {
    const storage = new PersistentTestStorage();
    const { port, database, clock, seconds } = await opened(storage);
    const items = Array.from({ length: 700 }, (_, at) => ({
      pk: { S: `item-${at}` },
      ttl: n(seconds + (at % 2 === 0 ? 5 : 5_000)),
    }));
    await putAll(port, items);
    storage.commitsLeft = 2;
    await port.updateTimeToLive({ TableName, ...spec(true) });
    expect((await port.describeTimeToLive({ TableName })).TimeToLiveDescription).toEqual({
      TimeToLiveStatus: "ENABLING",
      AttributeName: "ttl",
    });
    await database.background.stop();
    storage.commitsLeft = Number.POSITIVE_INFINITY;
    const second = openTestDatabase(storage, { clock });
    await second.database.background.idle();
    expect(
      (await second.port.describeTimeToLive({ TableName })).TimeToLiveDescription?.TimeToLiveStatus,
    ).toBe("ENABLED");
    expect(countEntries(storage, regions.expiry)).toBe(700);
    await clock.advance(6_000);
    expect((await names(second.port)).length).toBe(700);
    expect(await sweepExpired(second.database)).toBe(350);
    expect((await names(second.port)).length).toBe(350);
  });

  test("works in small commits, and stops between them when aborted", async () => {
    const { port, database, clock, storage, seconds } = await opened();
    await port.updateTimeToLive({ TableName, ...spec(true) });
    await putAll(
      port,
      Array.from({ length: 450 }, (_, at) => ({ pk: { S: `item-${at}` }, ttl: n(seconds + 1) })),
    );
    clock.jump(2_000);
    storage.commitSizes.length = 0;
    const stop = new AbortController();
    const swept = sweepExpired(database, stop.signal);
    stop.abort();
    expect(await swept).toBe(100);
    expect(await sweepExpired(database)).toBe(350);
    expect(Math.max(...storage.commitSizes)).toBeLessThan(500);
    expect(storage.commitSizes.length).toBe(5);
  });
});

describe("expiry by the clock", () => {
  test("deletes expired items, and sets no timer if nothing can expire", async () => {
    const clock = fakeClock();
    const engine = await openEngine({ storage: { kind: "memory" }, clock });
    await engine.createTable(tableInput());
    expect(clock.pending).toBe(0);
    await engine.updateTimeToLive({ TableName, ...spec(true) });
    expect(clock.pending).toBe(1);
    await engine.putItem({ TableName, Item: { pk: { S: "a" }, ttl: n(clock.now() / 1000 + 15) } });
    await clock.advance(sweepEveryMs);
    expect(await names(engine)).toEqual(["a"]);
    await clock.advance(sweepEveryMs);
    expect(await names(engine)).toEqual([]);
    await engine.close();
    expect(clock.pending).toBe(0);
  });
});

describe("UpdateTimeToLive", () => {
  test("rejects with DynamoDB's messages", async () => {
    const { port } = openTestDatabase(new MemoryStorage());
    await port.createTable(tableInput());
    const change = (enabled: boolean, attribute?: string) =>
      rejectionOf(port.updateTimeToLive({ TableName, ...spec(enabled, attribute) }));
    expect(await change(false)).toBe("ValidationException: TimeToLive is already disabled");
    expect(await change(true)).toBe("accepted");
    expect(await change(true)).toBe("ValidationException: TimeToLive is already enabled");
    expect(await change(true, "other")).toBe(
      "ValidationException: TimeToLive is active on a different AttributeName: current AttributeName is ttl",
    );
    expect(await change(false)).toBe("accepted");
    expect(await change(true, "other")).toBe("accepted");
  });

  test("after switching to another attribute, only that one counts", async () => {
    const { port, database, clock, storage, seconds } = await opened();
    await port.updateTimeToLive({ TableName, ...spec(true) });
    await port.putItem({ TableName, Item: { pk: { S: "old" }, ttl: n(seconds + 1) } });
    await port.putItem({ TableName, Item: { pk: { S: "new" }, until: n(seconds + 1) } });
    await port.updateTimeToLive({ TableName, ...spec(false) });
    await port.updateTimeToLive({ TableName, ...spec(true, "until") });
    await database.background.idle();
    expect(countEntries(storage, regions.expiry)).toBe(1);
    clock.jump(5_000);
    await sweepExpired(database);
    expect(await names(port)).toEqual(["old"]);
  });
});
