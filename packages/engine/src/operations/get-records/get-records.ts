import type { Answer } from "../../answer/answer.ts";
import { prefixEnd } from "../../storage/storage.ts";
import { changeAnswer } from "../../stream/change-record.ts";
import { positionOfIterator, shardIterator } from "../../stream/shard-iterator.ts";
import { changeKey, countOfKey, streamRegion } from "../../stream/stream-keys.ts";
import { trimmed } from "../../stream/trimmed.ts";
import type { Operation } from "../operation.ts";

// AWS: API_streams_GetRecords — records and bytes of one answer.
const maxRecords = 1000;
const maxBytes = 1024 * 1024;

export const getRecords: Operation<"GetRecords"> = (database, { ShardIterator = "", Limit = maxRecords }) => {
  const now = database.clock.now();
  const position = positionOfIterator(ShardIterator, now);
  const stream = database.streams.get(position.streamArn);
  if (position.next > 0 && position.next <= (stream.trimmedTo ?? 0)) throw trimmed();
  const Records: Answer[] = [];
  let { next } = position;
  let bytes = 0;
  let more = false;
  const range = { start: changeKey(stream.id, next), end: prefixEnd(streamRegion(stream.id)) };
  database.storage.scan(range, (key, text) => {
    bytes += text.length;
    more = Records.length >= Limit || (bytes > maxBytes && Records.length > 0);
    if (more) return false;
    const count = countOfKey(stream.id, key);
    Records.push(changeAnswer(stream, database.region, count, text));
    next = count + 1;
    return true;
  });
  const ended = !more && stream.closedAt !== undefined;
  return {
    Records,
    NextShardIterator: ended ? undefined : shardIterator({ streamArn: stream.arn, next, issuedAt: now }),
  };
};
