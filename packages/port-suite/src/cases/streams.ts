import assert from "node:assert/strict";
import type { ChangeRecord, GetShardIteratorInput, StreamViewType } from "@tablekeep/core";
import { n, s, upTo } from "../attribute-values.ts";
import { cases } from "../case-table.ts";
import { rejects, same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { changes, readOn, shardIds, streamed } from "../streamed-table.ts";

const pk = s("1");
const before = { pk, a: s("old") };
const after = { pk, a: s("new") };
const setA = (value: string) => ({ Key: { pk }, UpdateExpression: "SET a = :x", ExpressionAttributeValues: { ":x": s(value) } });

type Image = typeof before | undefined;

/** What each view type shows of an insert, a change and a removal: the new images, and the old ones. */
const views: Record<StreamViewType, [newImages: Image[], oldImages: Image[]]> = {
  KEYS_ONLY: [
    [undefined, undefined, undefined],
    [undefined, undefined, undefined],
  ],
  NEW_IMAGE: [
    [before, after, undefined],
    [undefined, undefined, undefined],
  ],
  OLD_IMAGE: [
    [undefined, undefined, undefined],
    [undefined, before, after],
  ],
  NEW_AND_OLD_IMAGES: [
    [before, after, undefined],
    [undefined, before, after],
  ],
};

/** The attribute `n` of the new image of each record. */
const numbersOf = (records: readonly ChangeRecord[] | undefined) => records?.map(({ dynamodb }) => dynamodb?.NewImage?.["n"]?.N);

/** A stream of new images, after puts of one item with `n` from 0. */
async function counted(world: PortWorld, count: number) {
  const { TableName, StreamArn } = await streamed(world, "NEW_IMAGE");
  for (const each of upTo(count)) await world.port.putItem({ TableName, Item: { pk, n: n(each) } });
  return { StreamArn, records: await changes(world, StreamArn, count) };
}

export const streamCases: readonly PortCase[] = cases({ source: "AWS docs: Change data capture for DynamoDB Streams" }, [
  ...Object.entries(views).map(([view, [newImages, oldImages]]) => ({
    name: `A stream of ${view} shows INSERT, MODIFY and REMOVE with their keys and images`,
    async run(world: PortWorld) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, view as StreamViewType);
      await port.putItem({ TableName, Item: before });
      await port.updateItem({ TableName, ...setA("new") });
      await port.deleteItem({ TableName, Key: { pk } });
      const seen = (await changes(world, StreamArn, 3)).map(({ eventName, eventSource, dynamodb }) => {
        const { Keys, StreamViewType, NewImage, OldImage } = dynamodb ?? {};
        return { eventName, eventSource, Keys, StreamViewType, NewImage, OldImage };
      });
      const expected = ["INSERT", "MODIFY", "REMOVE"].map((eventName, index) => ({
        eventName,
        eventSource: "aws:dynamodb",
        Keys: { pk },
        StreamViewType: view,
        NewImage: newImages[index],
        OldImage: oldImages[index],
      }));
      same(seen, expected);
    },
  })),
  {
    name: "A stream has no record of a write that changes nothing",
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "NEW_AND_OLD_IMAGES");
      await port.putItem({ TableName, Item: { pk, a: s("x"), n: n("1") } });
      await port.putItem({ TableName, Item: { pk, a: s("x"), n: n("1.0") } });
      await port.updateItem({ TableName, ...setA("x") });
      await port.deleteItem({ TableName, Key: { pk: s("absent") } });
      await port.putItem({ TableName, Item: { pk: s("2") } });
      const records = await changes(world, StreamArn, 2);
      same([records[0]?.eventName, records[1]?.eventName], ["INSERT", "INSERT"]);
    },
  },
  {
    name: "A stream keeps the order of the changes to one item, with rising sequence numbers",
    async run(world) {
      const { records } = await counted(world, 12);
      same(numbersOf(records), upTo(12).map(String));
      const numbers = records.map(({ dynamodb }) => BigInt(dynamodb?.SequenceNumber ?? "0"));
      assert.ok(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0n)));
      same(new Set(records.map((record) => record.eventID)).size, 12);
    },
  },
  {
    name: "A stream shows the writes of batches and transactions",
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "KEYS_ONLY");
      const puts = ["1", "2"].map((each) => ({ PutRequest: { Item: { pk: s(each) } } }));
      await port.batchWriteItem({ RequestItems: { [TableName]: puts } });
      await port.transactWriteItems({
        TransactItems: [{ Put: { TableName, Item: { pk: s("3") } } }, { Delete: { TableName, Key: { pk: s("1") } } }],
      });
      const records = await changes(world, StreamArn, 4);
      const seen = records.map(({ eventName, dynamodb }) => `${eventName} ${dynamodb?.Keys?.["pk"]?.S}`);
      same(seen.sort(), ["INSERT 1", "INSERT 2", "INSERT 3", "REMOVE 1"]);
    },
  },
  {
    name: "A rejected write leaves no record in the stream",
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "KEYS_ONLY");
      const onlyIfThere = { ConditionExpression: "attribute_exists(pk)" };
      const rejected = port.putItem({ TableName, Item: { pk }, ...onlyIfThere });
      await rejects(rejected, "ConditionalCheckFailedException");
      await port.putItem({ TableName, Item: { pk: s("2") } });
      const [record] = await changes(world, StreamArn, 1);
      same(record?.dynamodb?.Keys, { pk: s("2") });
    },
  },
  {
    name: "Iterators start at and after a sequence number",
    source: "AWS: API_streams_GetShardIterator",
    async run(world) {
      const { port } = world;
      const { StreamArn, records } = await counted(world, 3);
      const SequenceNumber = records[1]?.dynamodb?.SequenceNumber;
      const from = async (ShardIteratorType: GetShardIteratorInput["ShardIteratorType"]) => {
        const seen: ChangeRecord[] = [];
        for (const ShardId of await shardIds(port, StreamArn)) {
          const start = { StreamArn, ShardId, ShardIteratorType, SequenceNumber };
          seen.push(...(await readOn(port, (await port.getShardIterator(start)).ShardIterator)));
        }
        return numbersOf(seen);
      };
      same(await from("AT_SEQUENCE_NUMBER"), ["1", "2"]);
      same(await from("AFTER_SEQUENCE_NUMBER"), ["2"]);
    },
  },
  {
    name: "An iterator of LATEST shows only what comes after it",
    source: "AWS: API_streams_GetShardIterator",
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "KEYS_ONLY");
      await port.putItem({ TableName, Item: { pk: s("before") } });
      await changes(world, StreamArn, 1);
      const [ShardId] = await shardIds(port, StreamArn);
      let { ShardIterator } = await port.getShardIterator({ StreamArn, ShardId, ShardIteratorType: "LATEST" });
      await port.putItem({ TableName, Item: { pk: s("after") } });
      const seen: ChangeRecord[] = [];
      await world.eventually("the new record is there", async () => {
        const page = await port.getRecords({ ShardIterator });
        seen.push(...(page.Records ?? []));
        ShardIterator = page.NextShardIterator;
        return seen.length > 0;
      });
      same([seen.length, seen[0]?.dynamodb?.Keys], [1, { pk: s("after") }]);
    },
  },
  {
    name: "GetRecords returns at most Limit records and continues with the next iterator",
    source: "AWS: API_streams_GetRecords",
    async run(world) {
      const { port } = world;
      const { StreamArn } = await counted(world, 3);
      const [ShardId] = await shardIds(port, StreamArn);
      const start = await port.getShardIterator({ StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" });
      const first = await port.getRecords({ ShardIterator: start.ShardIterator, Limit: 2 });
      const second = await port.getRecords({ ShardIterator: first.NextShardIterator, Limit: 2 });
      same([numbersOf(first.Records), numbersOf(second.Records)], [["0", "1"], ["2"]]);
    },
  },
  {
    name: "DescribeStream and ListStreams describe a table's stream",
    source: "AWS: API_streams_DescribeStream",
    async run(world) {
      const { port } = world;
      const stream = await streamed(world, "OLD_IMAGE");
      const { StreamDescription: found = {} } = await port.describeStream({ StreamArn: stream.StreamArn });
      same({ StreamArn: found.StreamArn, TableName: found.TableName }, stream);
      same(found.StreamViewType, "OLD_IMAGE");
      same(found.KeySchema, [{ AttributeName: "pk", KeyType: "HASH" }]);
      assert.match(found.StreamStatus ?? "", /^ENABL(ED|ING)$/);
      const { Streams } = await port.listStreams({ TableName: stream.TableName });
      same(Streams, [{ ...stream, StreamLabel: found.StreamLabel }]);
    },
  },
  {
    name: "DescribeStream of an unknown stream is rejected",
    source: "AWS: API_streams_DescribeStream",
    async run(world) {
      const { StreamArn } = await streamed(world, "KEYS_ONLY");
      const unknown = StreamArn.replace(/\/stream\/.*$/, "/stream/2020-01-01T00:00:00.000");
      await rejects(world.port.describeStream({ StreamArn: unknown }), "ResourceNotFoundException");
    },
  },
  {
    name: "GetShardIterator of an unknown shard is rejected",
    source: "AWS: API_streams_GetShardIterator",
    async run(world) {
      const { StreamArn } = await streamed(world, "KEYS_ONLY");
      const ShardId = "shardId-00000000000000000000-00000000";
      const start = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
      await rejects(world.port.getShardIterator(start), "ResourceNotFoundException");
    },
  },
  {
    name: "GetRecords rejects an iterator that DynamoDB never returned",
    source: "AWS: API_streams_GetRecords",
    getRecords: { ShardIterator: "made-up" },
    rejected: "",
  },
]);
