import type { Database } from "../../database.ts";
import { sequenceNumber } from "../../stream/sequence-number.ts";
import { streamCountKey } from "../../stream/stream-keys.ts";
import { type StreamRecord, shardId } from "../../stream/stream-record.ts";
import type { Operation } from "../operation.ts";

export const describeStream: Operation<"DescribeStream"> = (database, input) => {
  const stream = database.streams.get(input.StreamArn ?? "");
  const from = input.ExclusiveStartShardId;
  const childrenOnly = input.ShardFilter?.Type === "CHILD_SHARDS";
  return {
    StreamDescription: {
      StreamArn: stream.arn,
      StreamLabel: stream.label,
      StreamStatus: stream.closedAt === undefined ? "ENABLED" : "DISABLED",
      StreamViewType: stream.viewType,
      CreationRequestDateTime: new Date(stream.createdAt),
      TableName: stream.tableName,
      KeySchema: stream.keySchema,
      // A shard has no children here: there is one, and it stays open until the stream is switched off.
      Shards:
        childrenOnly || (from !== undefined && from >= shardId(stream)) ? [] : [shardOf(database, stream)],
    },
  };
};

function shardOf({ storage }: Database, stream: StreamRecord): object {
  // A write of the moment in which the stream was closed may have come after that.
  const last =
    stream.closedAt === undefined ? undefined : Number(storage.get(streamCountKey(stream.id)) ?? 0);
  return {
    ShardId: shardId(stream),
    SequenceNumberRange: {
      StartingSequenceNumber: sequenceNumber(stream, 1),
      EndingSequenceNumber: last === undefined ? undefined : sequenceNumber(stream, Math.max(1, last)),
    },
  };
}
