import type { ChangeRecord as StreamRecord } from "@tablekeep/core";
import { FeedError } from "../feed-error.ts";
import type { ChangeRecord } from "./change-source.ts";

const kinds: Readonly<Record<string, ChangeRecord["kind"]>> = {
  INSERT: "insert",
  MODIFY: "modify",
  REMOVE: "remove",
};

/** Converts a record of GetRecords. Throws `FEED_RECORD_INVALID` if it is not in the format that AWS documents. */
export function decodeRecord(shard: string, record: StreamRecord, path = "Records[]"): ChangeRecord {
  const { eventName, dynamodb } = record;
  const kind = Object.hasOwn(kinds, eventName ?? "") ? kinds[eventName ?? ""] : undefined;
  if (kind === undefined) {
    throw recordInvalid(`${path}.eventName`, `must be INSERT, MODIFY or REMOVE, got ${String(eventName)}`);
  }
  if (dynamodb?.Keys === undefined) throw recordInvalid(`${path}.dynamodb.Keys`, "is missing");
  return {
    kind,
    keys: dynamodb.Keys,
    ...(dynamodb.NewImage !== undefined && { image: dynamodb.NewImage }),
    ...(dynamodb.OldImage !== undefined && { before: dynamodb.OldImage }),
    sequence: sequenceOf(dynamodb.SequenceNumber, `${path}.dynamodb.SequenceNumber`),
    shard,
    createdAt: timeOf(dynamodb.ApproximateCreationDateTime, `${path}.dynamodb.ApproximateCreationDateTime`),
  };
}

/** Parses a sequence number: decimal digits, more than a JavaScript number can hold. */
export function sequenceOf(value: unknown, path: string): bigint {
  if (typeof value === "string" && /^[0-9]{1,60}$/.test(value)) return BigInt(value);
  throw recordInvalid(path, `must be a string of digits, got ${typeof value}`);
}

function timeOf(value: Date | undefined, path: string): number {
  const time = value instanceof Date ? value.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw recordInvalid(path, "must be a time");
  return time;
}

/** Returns the error for a record in another format. `reason` continues the path: "must be …". */
export function recordInvalid(path: string, reason: string): FeedError<"FEED_RECORD_INVALID"> {
  return new FeedError("FEED_RECORD_INVALID", `${path} ${reason}`, { path, reason });
}
