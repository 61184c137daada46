import assert from "node:assert/strict";
import type { AttributeValue, ChangeRecord, GetShardIteratorInput, StreamViewType } from "@tablekeep/core";
import { refuses, same } from "../expectations.ts";
import type { PortCase, PortWorld } from "../port-case.ts";
import { changes, readOn, shardIds, streamed } from "../read-stream.ts";

const api = "AWS docs: Change data capture for DynamoDB Streams";
const s = (text: string): AttributeValue => ({ S: text });

/** Puts, changes and deletes one item. */
async function threeChanges({ port }: PortWorld, TableName: string): Promise<void> {
  await port.putItem({ TableName, Item: { pk: s("1"), a: s("old") } });
  await port.updateItem({
    TableName,
    Key: { pk: s("1") },
    UpdateExpression: "SET a = :x",
    ExpressionAttributeValues: { ":x": s("new") },
  });
  await port.deleteItem({ TableName, Key: { pk: s("1") } });
}

const before = { pk: s("1"), a: s("old") };
const after = { pk: s("1"), a: s("new") };

/** What each view type shows of the three changes: [new image, old image]. */
const views: Record<StreamViewType, [unknown, unknown][]> = {
  KEYS_ONLY: [
    [undefined, undefined],
    [undefined, undefined],
    [undefined, undefined],
  ],
  NEW_IMAGE: [
    [before, undefined],
    [after, undefined],
    [undefined, undefined],
  ],
  OLD_IMAGE: [
    [undefined, undefined],
    [undefined, before],
    [undefined, after],
  ],
  NEW_AND_OLD_IMAGES: [
    [before, undefined],
    [after, before],
    [undefined, after],
  ],
};

export const streamCases: readonly PortCase[] = [
  ...(Object.keys(views) as StreamViewType[]).map(
    (view): PortCase => ({
      name: `A stream of ${view} shows INSERT, MODIFY and REMOVE with their keys and images`,
      source: api,
      async run(world) {
        const { TableName, StreamArn } = await streamed(world, view);
        await threeChanges(world, TableName);
        const records = await changes(world, StreamArn, 3);
        same(
          records.map((record) => record.eventName),
          ["INSERT", "MODIFY", "REMOVE"],
        );
        same(
          records.map(({ dynamodb }) => [dynamodb?.NewImage, dynamodb?.OldImage]),
          views[view],
        );
        for (const { dynamodb, eventSource } of records) {
          same(
            [dynamodb?.Keys, dynamodb?.StreamViewType, eventSource],
            [{ pk: s("1") }, view, "aws:dynamodb"],
          );
        }
      },
    }),
  ),
  {
    name: "A stream has no record of a write that changes nothing",
    source: api,
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "NEW_AND_OLD_IMAGES");
      await port.putItem({ TableName, Item: { pk: s("1"), a: s("x"), n: { N: "1" } } });
      await port.putItem({ TableName, Item: { pk: s("1"), a: s("x"), n: { N: "1.0" } } });
      await port.updateItem({
        TableName,
        Key: { pk: s("1") },
        UpdateExpression: "SET a = :x",
        ExpressionAttributeValues: { ":x": s("x") },
      });
      await port.deleteItem({ TableName, Key: { pk: s("absent") } });
      await port.putItem({ TableName, Item: { pk: s("2") } });
      const records = await changes(world, StreamArn, 2);
      same(
        records.map((record) => record.eventName),
        ["INSERT", "INSERT"],
      );
    },
  },
  {
    name: "A stream keeps the order of the changes of one item, with rising sequence numbers",
    source: api,
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "NEW_IMAGE");
      for (let n = 0; n < 12; n++)
        await port.putItem({ TableName, Item: { pk: s("1"), n: { N: String(n) } } });
      const records = await changes(world, StreamArn, 12);
      same(
        records.map(({ dynamodb }) => dynamodb?.NewImage?.["n"]?.N),
        Array.from({ length: 12 }, (_, n) => String(n)),
      );
      const numbers = records.map(({ dynamodb }) => BigInt(dynamodb?.SequenceNumber ?? "0"));
      assert.ok(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0n)));
      same(new Set(records.map((record) => record.eventID)).size, 12);
    },
  },
  {
    name: "A stream shows the writes of batches and transactions",
    source: api,
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "KEYS_ONLY");
      const put = (pk: string) => ({ PutRequest: { Item: { pk: s(pk) } } });
      await port.batchWriteItem({ RequestItems: { [TableName]: [put("1"), put("2")] } });
      await port.transactWriteItems({
        TransactItems: [
          { Put: { TableName, Item: { pk: s("3") } } },
          { Delete: { TableName, Key: { pk: s("1") } } },
        ],
      });
      const records = await changes(world, StreamArn, 4);
      const seen = records.map(({ eventName, dynamodb }) => `${eventName} ${dynamodb?.Keys?.["pk"]?.S}`);
      same(seen.sort(), ["INSERT 1", "INSERT 2", "INSERT 3", "REMOVE 1"]);
    },
  },
  {
    name: "A refused write leaves no record in the stream",
    source: api,
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "KEYS_ONLY");
      const refused = port.putItem({
        TableName,
        Item: { pk: s("1") },
        ConditionExpression: "attribute_exists(pk)",
      });
      await refuses(refused, "ConditionalCheckFailedException");
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
      const { TableName, StreamArn } = await streamed(world, "NEW_IMAGE");
      for (const n of ["0", "1", "2"]) await port.putItem({ TableName, Item: { pk: s("1"), n: { N: n } } });
      const records = await changes(world, StreamArn, 3);
      const SequenceNumber = records[1]?.dynamodb?.SequenceNumber;
      const from = async (ShardIteratorType: GetShardIteratorInput["ShardIteratorType"]) => {
        const seen: (string | undefined)[] = [];
        for (const ShardId of await shardIds(port, StreamArn)) {
          const start = { StreamArn, ShardId, ShardIteratorType, SequenceNumber };
          const { ShardIterator } = await port.getShardIterator(start);
          const read = await readOn(port, ShardIterator);
          seen.push(...read.map(({ dynamodb }) => dynamodb?.NewImage?.["n"]?.N));
        }
        return seen;
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
      const latest = await port.getShardIterator({ StreamArn, ShardId, ShardIteratorType: "LATEST" });
      await port.putItem({ TableName, Item: { pk: s("after") } });
      let seen: ChangeRecord[] = [];
      let ShardIterator = latest.ShardIterator;
      await world.eventually("the new record is there", async () => {
        const page = await port.getRecords({ ShardIterator });
        seen = [...seen, ...(page.Records ?? [])];
        ShardIterator = page.NextShardIterator;
        return seen.length > 0;
      });
      same(
        seen.map(({ dynamodb }) => dynamodb?.Keys),
        [{ pk: s("after") }],
      );
    },
  },
  {
    name: "GetRecords gives at most Limit records and goes on with the next iterator",
    source: "AWS: API_streams_GetRecords",
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "NEW_IMAGE");
      for (const n of ["0", "1", "2"]) await port.putItem({ TableName, Item: { pk: s("1"), n: { N: n } } });
      await changes(world, StreamArn, 3);
      const [ShardId] = await shardIds(port, StreamArn);
      const start = await port.getShardIterator({ StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" });
      const first = await port.getRecords({ ShardIterator: start.ShardIterator, Limit: 2 });
      const second = await port.getRecords({ ShardIterator: first.NextShardIterator, Limit: 2 });
      const numbers = [first, second].map((page) =>
        page.Records?.map((each) => each.dynamodb?.NewImage?.["n"]?.N),
      );
      same(numbers, [["0", "1"], ["2"]]);
    },
  },
  {
    name: "DescribeStream and ListStreams tell about a table's stream",
    source: "AWS: API_streams_DescribeStream",
    async run(world) {
      const { port } = world;
      const { TableName, StreamArn } = await streamed(world, "OLD_IMAGE");
      const { StreamDescription } = await port.describeStream({ StreamArn });
      same(StreamDescription?.StreamArn, StreamArn);
      same(StreamDescription?.TableName, TableName);
      same(StreamDescription?.StreamViewType, "OLD_IMAGE");
      same(StreamDescription?.KeySchema, [{ AttributeName: "pk", KeyType: "HASH" }]);
      assert.match(StreamDescription?.StreamStatus ?? "", /^ENABL(ED|ING)$/);
      const { Streams } = await port.listStreams({ TableName });
      same(Streams, [{ StreamArn, TableName, StreamLabel: StreamDescription?.StreamLabel }]);
    },
  },
  {
    name: "DescribeStream of an unknown stream is refused",
    source: "AWS: API_streams_DescribeStream",
    async run(world) {
      const { StreamArn } = await streamed(world, "KEYS_ONLY");
      const unknown = StreamArn.replace(/\/stream\/.*$/, "/stream/2020-01-01T00:00:00.000");
      await refuses(world.port.describeStream({ StreamArn: unknown }), "ResourceNotFoundException");
    },
  },
  {
    name: "GetShardIterator of an unknown shard is refused",
    source: "AWS: API_streams_GetShardIterator",
    async run(world) {
      const { StreamArn } = await streamed(world, "KEYS_ONLY");
      const call = world.port.getShardIterator({
        StreamArn,
        ShardId: "shardId-00000000000000000000-00000000",
        ShardIteratorType: "TRIM_HORIZON",
      });
      await refuses(call, "ResourceNotFoundException");
    },
  },
  {
    name: "GetRecords refuses an iterator that DynamoDB never gave",
    source: "AWS: API_streams_GetRecords",
    async run({ port }) {
      await refuses(port.getRecords({ ShardIterator: "made-up" }), "ValidationException");
    },
  },
];
