import type { GetShardIteratorInput } from "@tablekeep/core";
import type { Database } from "../../database.ts";
import { invalid, refusal } from "../../item/refuse.ts";
import { countOf } from "../../stream/sequence-number.ts";
import { shardIterator } from "../../stream/shard-iterator.ts";
import { streamCountKey } from "../../stream/stream-keys.ts";
import { type StreamRecord, shardId } from "../../stream/stream-record.ts";
import { trimmed } from "../../stream/trimmed.ts";
import type { Operation } from "../operation.ts";

export const getShardIterator: Operation<"GetShardIterator"> = (database, input) => {
  const stream = database.streams.get(input.StreamArn ?? "");
  if (input.ShardId !== shardId(stream)) {
    throw refusal(
      "ResourceNotFoundException",
      `Requested resource not found: Shard: ${input.ShardId} in Stream: ${stream.arn} not found`,
    );
  }
  const next = nextRecord(database, stream, input);
  return { ShardIterator: shardIterator({ streamArn: stream.arn, next, issuedAt: database.clock.now() }) };
};

function nextRecord(database: Database, stream: StreamRecord, input: GetShardIteratorInput): number {
  const { ShardIteratorType: type, SequenceNumber: sequence } = input;
  const last = Number(database.storage.get(streamCountKey(stream.id)) ?? 0);
  if (type === "TRIM_HORIZON" || type === "LATEST") {
    if (sequence !== undefined) throw invalid("SequenceNumber should not be passed for this iterator type");
    return type === "LATEST" ? last + 1 : 0;
  }
  const count = sequence === undefined ? undefined : countOf(stream, sequence);
  if (count === undefined || count < 1 || count > Math.max(1, last)) {
    throw invalid("Invalid SequenceNumber for the shard");
  }
  if (count <= (stream.trimmedTo ?? 0)) throw trimmed();
  return type === "AT_SEQUENCE_NUMBER" ? count : count + 1;
}
