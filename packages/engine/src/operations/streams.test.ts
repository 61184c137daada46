import type { DynamoPort, GetShardIteratorInput, StreamViewType } from "@tablekeep/core";
import { fakeClock } from "@tablekeep/testkit";
import { describe, expect, test } from "vitest";
import {
  countEntries,
  define,
  describeThings,
  keySchema,
  openTestDatabase,
  PersistentTestStorage,
  rejectionOf,
  tableInput,
} from "../../test/tables.ts";
import { regions } from "../catalog/storage-keys.ts";
import { jobPrefix } from "../database/job.ts";
import { trimStreams } from "../jobs/trim-streams.ts";

const TableName = "things";
const hour = 60 * 60 * 1000;
const never = new AbortController().signal;

async function opened(view: StreamViewType = "NEW_AND_OLD_IMAGES") {
  const storage = new PersistentTestStorage();
  const clock = fakeClock();
  const opening = openTestDatabase(storage, { clock });
  await opening.port.createTable(
    tableInput({ StreamSpecification: { StreamEnabled: true, StreamViewType: view } }),
  );
  const { LatestStreamArn = "" } = await describeThings(opening.port);
  return { ...opening, clock, storage, StreamArn: LatestStreamArn };
}

async function shardOf(port: DynamoPort, StreamArn: string) {
  const { StreamDescription } = await port.describeStream({ StreamArn });
  return StreamDescription?.Shards?.[0];
}

async function iterator(
  port: DynamoPort,
  StreamArn: string,
  ShardIteratorType: GetShardIteratorInput["ShardIteratorType"],
  SequenceNumber?: string,
): Promise<string | undefined> {
  const ShardId = (await shardOf(port, StreamArn))?.ShardId;
  const input = { StreamArn, ShardId, ShardIteratorType, SequenceNumber };
  return (await port.getShardIterator(input)).ShardIterator;
}

const put = (port: DynamoPort, pk: string, more: object = {}) =>
  port.putItem({ TableName, Item: { pk: { S: pk }, ...more } });

describe("change records", () => {
  test("have exactly DynamoDB's members", async () => {
    const { port, clock, StreamArn } = await opened();
    clock.jump(1_999);
    await put(port, "a", { bytes: { B: Uint8Array.of(1, 2) } });
    await put(port, "a", { n: { N: "1" } });
    const { Records = [] } = await port.getRecords({
      ShardIterator: await iterator(port, StreamArn, "TRIM_HORIZON"),
    });
    const [first, second] = Records;
    expect(first).toEqual({
      eventID: expect.stringMatching(/^[0-9a-f]{32}$/),
      eventName: "INSERT",
      eventVersion: "1.1",
      eventSource: "aws:dynamodb",
      awsRegion: "us-east-1",
      dynamodb: {
        ApproximateCreationDateTime: new Date("2020-01-01T00:00:01Z"),
        Keys: { pk: { S: "a" } },
        NewImage: { pk: { S: "a" }, bytes: { B: Uint8Array.of(1, 2) } },
        SequenceNumber: expect.stringMatching(/^[0-9]{21,40}$/),
        SizeBytes: 3 + 3 + 7,
        StreamViewType: "NEW_AND_OLD_IMAGES",
      },
    });
    expect(second?.dynamodb).toMatchObject({
      NewImage: { pk: { S: "a" }, n: { N: "1" } },
      OldImage: { pk: { S: "a" }, bytes: { B: Uint8Array.of(1, 2) } },
      SizeBytes: 3 + 3 + 7 + 3 + 3,
    });
    expect(first?.eventID).not.toBe(second?.eventID);
    const numbers = Records.map(({ dynamodb }) => dynamodb?.SequenceNumber ?? "");
    expect(numbers).toEqual([...numbers].sort());
  });

  test("are as durable as the write: neither exists without the other", async () => {
    const { port, storage, StreamArn } = await opened();
    await put(port, "stored");
    storage.commitsLeft = 0;
    await expect(put(port, "lost")).rejects.toMatchObject({ code: "ENGINE_DISK_FULL" });
    storage.commitsLeft = Number.POSITIVE_INFINITY;
    const again = openTestDatabase(storage);
    await put(again.port, "later");
    const { Records = [] } = await again.port.getRecords({
      ShardIterator: await iterator(again.port, StreamArn, "TRIM_HORIZON"),
    });
    expect(Records.map(({ dynamodb }) => dynamodb?.Keys?.["pk"]?.S)).toEqual(["stored", "later"]);
    expect(new Set(Records.map(({ dynamodb }) => dynamodb?.SequenceNumber)).size).toBe(2);
  });

  test("come in pages of at most 1 MB", async () => {
    const { port, StreamArn } = await opened("NEW_IMAGE");
    for (const pk of ["a", "b", "c"]) await put(port, pk, { data: { S: "x".repeat(390_000) } });
    const first = await port.getRecords({ ShardIterator: await iterator(port, StreamArn, "TRIM_HORIZON") });
    expect(first.Records?.length).toBe(2);
    const second = await port.getRecords({ ShardIterator: first.NextShardIterator });
    expect(second.Records?.map(({ dynamodb }) => dynamodb?.Keys?.["pk"]?.S)).toEqual(["c"]);
  });
});

test("sequence numbers have digits only, also by a clock that counts fractions of milliseconds", async () => {
  const clock = fakeClock({ startAt: 1_700_000_000_000.25 });
  const { port } = openTestDatabase(new PersistentTestStorage(), { clock });
  await port.createTable(
    tableInput({ StreamSpecification: { StreamEnabled: true, StreamViewType: "KEYS_ONLY" } }),
  );
  await put(port, "a");
  const { LatestStreamArn: StreamArn = "" } = await describeThings(port);
  const { ShardId, SequenceNumberRange } = (await shardOf(port, StreamArn)) ?? {};
  expect(ShardId).toMatch(/^shardId-\d{20}-[0-9a-f]{8}$/);
  const first = SequenceNumberRange?.StartingSequenceNumber ?? "";
  expect(first).toMatch(/^\d{21,40}$/);
  const { Records } = await port.getRecords({
    ShardIterator: await iterator(port, StreamArn, "AT_SEQUENCE_NUMBER", first),
  });
  expect(Records?.[0]?.dynamodb?.SequenceNumber).toBe(first);
});

describe("iterators", () => {
  test("expire after 15 minutes, and each page returns a new one", async () => {
    const { port, clock, StreamArn } = await opened();
    const first = await iterator(port, StreamArn, "LATEST");
    clock.jump(hour / 4);
    const { NextShardIterator } = await port.getRecords({ ShardIterator: first });
    clock.jump(1);
    expect(await rejectionOf(port.getRecords({ ShardIterator: first }))).toContain(
      "ExpiredIteratorException",
    );
    expect(await rejectionOf(port.getRecords({ ShardIterator: NextShardIterator }))).toBe("accepted");
  });

  test("outlive the process that issued them", async () => {
    const { port, storage, clock, StreamArn } = await opened();
    const latest = await iterator(port, StreamArn, "LATEST");
    await put(port, "a");
    const again = openTestDatabase(storage, { clock });
    const { Records } = await again.port.getRecords({ ShardIterator: latest });
    expect(Records?.length).toBe(1);
  });

  test("that were not issued are rejected", async () => {
    const { port, StreamArn } = await opened();
    const place = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const wrong = [
      "x",
      "a|b|c",
      `${StreamArn}|1|`,
      `${StreamArn}|2|${place([0, 0])}`,
      `${StreamArn}|1|${place([-1, 0])}`,
      `${StreamArn}|1|${place([1.5, 0])}`,
      `${StreamArn}|1|${place({})}`,
      `${StreamArn}|1|${place(null)}`,
      `${StreamArn}|1|${place([0, "x"])}`,
      `${StreamArn}|1|${place([0, 0])}|more`,
    ];
    for (const ShardIterator of wrong) {
      expect(await rejectionOf(port.getRecords({ ShardIterator }))).toBe(
        "ValidationException: Invalid ShardIterator",
      );
    }
  });

  test("accept only sequence numbers of their stream", async () => {
    const { port, StreamArn } = await opened();
    await put(port, "a");
    const { SequenceNumberRange } = (await shardOf(port, StreamArn)) ?? {};
    const first = SequenceNumberRange?.StartingSequenceNumber ?? "";
    const at = (type: GetShardIteratorInput["ShardIteratorType"], number?: string) =>
      rejectionOf(iterator(port, StreamArn, type, number));
    expect(await at("AT_SEQUENCE_NUMBER", first)).toBe("accepted");
    const wrong = "ValidationException: Invalid SequenceNumber for the shard";
    expect(await at("AT_SEQUENCE_NUMBER")).toBe(wrong);
    expect(await at("AFTER_SEQUENCE_NUMBER", "9".repeat(25))).toBe(wrong);
    expect(await at("AT_SEQUENCE_NUMBER", "x".repeat(25))).toBe(wrong);
    expect(await at("LATEST", first)).toBe(
      "ValidationException: SequenceNumber should not be passed for this iterator type",
    );
  });
});

describe("a disabled stream", () => {
  test("closes its shard, ends for readers, and can be read until a day later", async () => {
    const { port, database, clock, storage, StreamArn } = await opened();
    await put(port, "a");
    await put(port, "b");
    await port.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    await put(port, "c");
    const table = await describeThings(port);
    expect(table).not.toHaveProperty("StreamSpecification");
    expect(table.LatestStreamArn).toBe(StreamArn);
    const { StreamDescription } = await port.describeStream({ StreamArn });
    expect(StreamDescription?.StreamStatus).toBe("DISABLED");
    const range = StreamDescription?.Shards?.[0]?.SequenceNumberRange;
    const first = await port.getRecords({
      ShardIterator: await iterator(port, StreamArn, "TRIM_HORIZON"),
      Limit: 1,
    });
    const second = await port.getRecords({ ShardIterator: first.NextShardIterator });
    expect(second.Records?.[0]?.dynamodb?.SequenceNumber).toBe(range?.EndingSequenceNumber);
    expect(second).not.toHaveProperty("NextShardIterator");

    clock.jump(24 * hour);
    await trimStreams(database, never);
    await trimStreams(database, never);
    expect(await rejectionOf(port.describeStream({ StreamArn }))).toBe(
      `ResourceNotFoundException: Requested resource not found: Stream: ${StreamArn} not found`,
    );
    expect(countEntries(storage, regions.streams)).toBe(0);
  });

  test("ends with its last record, also one of the same moment", async () => {
    const { port, StreamArn } = await opened();
    await put(port, "a");
    const off = port.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    await Promise.all([off, put(port, "b")]);
    const { Records = [] } = await port.getRecords({
      ShardIterator: await iterator(port, StreamArn, "TRIM_HORIZON"),
    });
    const range = (await shardOf(port, StreamArn))?.SequenceNumberRange;
    expect(Records[Records.length - 1]?.dynamodb?.SequenceNumber).toBe(range?.EndingSequenceNumber);
  });

  test("gets a new name when it is enabled again, even in the same moment", async () => {
    const { port, StreamArn } = await opened();
    await port.updateTable({ TableName, StreamSpecification: { StreamEnabled: false } });
    const on = { StreamEnabled: true, StreamViewType: "KEYS_ONLY" } as const;
    await port.updateTable({ TableName, StreamSpecification: on });
    const { LatestStreamArn } = await describeThings(port);
    expect(LatestStreamArn).not.toBe(StreamArn);
    const listed = await port.listStreams({ TableName });
    expect(listed.Streams?.map((stream) => stream.StreamArn)).toEqual([StreamArn, LatestStreamArn]);
    const page = await port.listStreams({ Limit: 1 });
    expect(page.LastEvaluatedStreamArn).toBe(StreamArn);
    const rest = await port.listStreams({ ExclusiveStartStreamArn: page.LastEvaluatedStreamArn });
    expect(rest).toEqual({ Streams: [expect.objectContaining({ StreamArn: LatestStreamArn })] });
  });

  test("remains for a day after its table was deleted", async () => {
    const { port, database, storage, StreamArn } = await opened();
    await put(port, "a");
    await port.deleteTable({ TableName });
    await database.background.idle();
    expect((await port.describeStream({ StreamArn })).StreamDescription?.StreamStatus).toBe("DISABLED");
    const { Records } = await port.getRecords({
      ShardIterator: await iterator(port, StreamArn, "TRIM_HORIZON"),
    });
    expect(Records?.length).toBe(1);
    expect(countEntries(storage, jobPrefix)).toBe(0);
  });
});

describe("records older than a day", () => {
  test("are trimmed, and reading them is rejected", async () => {
    const { port, database, clock, storage, StreamArn } = await opened("KEYS_ONLY");
    for (let at = 0; at < 450; at++) await put(port, `old-${at}`);
    const { SequenceNumberRange } = (await shardOf(port, StreamArn)) ?? {};
    const first = SequenceNumberRange?.StartingSequenceNumber ?? "";
    clock.jump(24 * hour - 1);
    const at = await iterator(port, StreamArn, "AT_SEQUENCE_NUMBER", first);
    const horizon = await iterator(port, StreamArn, "TRIM_HORIZON");
    await put(port, "young");
    await trimStreams(database, never);
    expect(countEntries(storage, regions.streams)).toBe(451);
    clock.jump(1);
    storage.commitSizes.length = 0;
    await trimStreams(database, never);
    expect(Math.max(...storage.commitSizes)).toBeLessThan(210);
    expect(countEntries(storage, regions.streams)).toBe(1);
    expect(await rejectionOf(port.getRecords({ ShardIterator: at }))).toContain("TrimmedDataAccessException");
    expect(await rejectionOf(iterator(port, StreamArn, "AT_SEQUENCE_NUMBER", first))).toContain(
      "TrimmedDataAccessException",
    );
    const { Records = [] } = await port.getRecords({ ShardIterator: horizon });
    expect(Records.map(({ dynamodb }) => dynamodb?.Keys)).toEqual([{ pk: { S: "young" } }]);
  });

  test("are trimmed in the background", async () => {
    const { port, clock, storage } = await opened("KEYS_ONLY");
    await put(port, "old");
    clock.jump(25 * hour);
    await clock.advance(10_000);
    expect(countEntries(storage, regions.streams)).toBe(0);
  });
});

test("ListStreams and DescribeStream show keys of two attributes, and no shard after the last", async () => {
  const { port } = openTestDatabase(new PersistentTestStorage());
  await port.createTable(
    tableInput({
      AttributeDefinitions: define("pk", "sk"),
      KeySchema: keySchema("pk", "sk"),
      StreamSpecification: { StreamEnabled: true, StreamViewType: "OLD_IMAGE" },
    }),
  );
  const { LatestStreamArn: StreamArn = "" } = await describeThings(port);
  const { StreamDescription } = await port.describeStream({ StreamArn });
  expect(StreamDescription?.KeySchema).toEqual(keySchema("pk", "sk"));
  const ExclusiveStartShardId = StreamDescription?.Shards?.[0]?.ShardId;
  const after = await port.describeStream({ StreamArn, ExclusiveStartShardId });
  expect(after.StreamDescription?.Shards).toEqual([]);
});
