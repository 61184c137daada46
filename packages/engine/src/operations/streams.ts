import type { GetShardIteratorInput } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { streamSeries } from "../catalog/storage-keys.ts";
import { type StreamRecord, shardId } from "../catalog/stream-catalog.ts";
import {
  positionOfIterator,
  shardIterator,
  shardNotFound,
  trimmedDataError,
} from "../change/shard-iterator.ts";
import { changeCount, countOf, recordAnswer, sequenceNumber } from "../change/stream-records.ts";
import type { Database, Operation } from "../database/database.ts";
import { scanSeries } from "../storage/series.ts";
import { invalid } from "../values/dynamo-errors.ts";

/** AWS: API_streams_ListStreams — the most streams on a page. */
const maxStreams = 100;

export const listStreams: Operation<"ListStreams"> = (database, input) => {
  const { TableName, ExclusiveStartStreamArn: from, Limit = maxStreams } = input;
  const streams = database.streams
    .all()
    .filter(({ tableName }) => TableName === undefined || tableName === TableName)
    .filter(({ arn }) => from === undefined || arn > from);
  const page = streams.slice(0, Limit);
  return {
    Streams: page.map(({ arn, label, tableName }) => ({
      StreamArn: arn,
      StreamLabel: label,
      TableName: tableName,
    })),
    LastEvaluatedStreamArn: page.length < streams.length ? page[page.length - 1]?.arn : undefined,
  };
};

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
      // A shard never has children here: each stream has one, which stays open until the stream is disabled.
      Shards:
        childrenOnly || (from !== undefined && from >= shardId(stream)) ? [] : [shardOf(database, stream)],
    },
  };
};

function shardOf({ storage }: Database, stream: StreamRecord): object {
  // A write at the moment of closing may have come after it.
  const last = stream.closedAt === undefined ? undefined : changeCount(storage, stream);
  return {
    ShardId: shardId(stream),
    SequenceNumberRange: {
      StartingSequenceNumber: sequenceNumber(stream, 1),
      EndingSequenceNumber: last === undefined ? undefined : sequenceNumber(stream, Math.max(1, last)),
    },
  };
}

export const getShardIterator: Operation<"GetShardIterator"> = (database, input) => {
  const stream = database.streams.get(input.StreamArn ?? "");
  if (input.ShardId !== shardId(stream)) throw shardNotFound(stream.arn, input.ShardId);
  const next = nextRecord(database, stream, input);
  return { ShardIterator: shardIterator({ streamArn: stream.arn, next, issuedAt: database.clock.now() }) };
};

function nextRecord(database: Database, stream: StreamRecord, input: GetShardIteratorInput): number {
  const { ShardIteratorType: type, SequenceNumber: sequence } = input;
  const last = changeCount(database.storage, stream);
  if (type === "TRIM_HORIZON" || type === "LATEST") {
    if (sequence !== undefined) throw invalid("SequenceNumber should not be passed for this iterator type");
    return type === "LATEST" ? last + 1 : 0;
  }
  const count = sequence === undefined ? undefined : countOf(stream, sequence);
  if (count === undefined || count < 1 || count > Math.max(1, last)) {
    throw invalid("Invalid SequenceNumber for the shard");
  }
  if (count <= (stream.trimmedTo ?? 0)) throw trimmedDataError();
  return type === "AT_SEQUENCE_NUMBER" ? count : count + 1;
}

// AWS: API_streams_GetRecords — records and bytes of one response.
const maxRecords = 1000;
const maxBytes = 1024 * 1024;

export const getRecords: Operation<"GetRecords"> = (database, { ShardIterator = "", Limit = maxRecords }) => {
  const now = database.clock.now();
  const position = positionOfIterator(ShardIterator, now);
  const stream = database.streams.get(position.streamArn);
  if (position.next > 0 && position.next <= (stream.trimmedTo ?? 0)) throw trimmedDataError();
  const Records: Answer[] = [];
  let { next } = position;
  let bytes = 0;
  let more = false;
  scanSeries(database.storage, streamSeries(stream.id), next, (count, text) => {
    bytes += text.length;
    more = Records.length >= Limit || (bytes > maxBytes && Records.length > 0);
    if (more) return false;
    Records.push(recordAnswer(stream, database.region, count, text));
    next = count + 1;
    return true;
  });
  const ended = !more && stream.closedAt !== undefined;
  return {
    Records,
    NextShardIterator: ended ? undefined : shardIterator({ streamArn: stream.arn, next, issuedAt: now }),
  };
};
