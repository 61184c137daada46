import type { DynamoError } from "@tablekeep/core";
import { dynamoError, invalid } from "../values/dynamo-errors.ts";

/** A position in a shard, where the next read begins. */
export interface ShardPosition {
  readonly streamArn: string;
  /** The number of the next record; 0 for the oldest one left. */
  readonly next: number;
  /** In milliseconds. */
  readonly issuedAt: number;
  /** The shard, counting from 0, of a stream that has several. @default 0 */
  readonly shard?: number;
  /** How many empty pages precede the next record. @default unknown */
  readonly emptyPages?: number;
}

/** AWS: API_streams_GetShardIterator — in milliseconds. */
export const iteratorLifetimeMs: number = 15 * 60 * 1000;

/** Encodes a position. The iterator contains all of it, so nothing has to be stored, and it survives a restart. */
export function shardIterator({ streamArn, next, issuedAt, shard, emptyPages }: ShardPosition): string {
  const more = shard === undefined ? [] : emptyPages === undefined ? [shard] : [shard, emptyPages];
  const place = Buffer.from(JSON.stringify([next, issuedAt, ...more])).toString("base64url");
  return `${streamArn}|1|${place}`;
}

/** Decodes an iterator. Throws if it is invalid or expired. */
export function positionOfIterator(
  iterator: string,
  now: number,
  lifetimeMs: number = iteratorLifetimeMs,
): ShardPosition {
  const position = parseIterator(iterator);
  if (position === undefined) throw invalid("Invalid ShardIterator");
  if (now - position.issuedAt > lifetimeMs) {
    throw dynamoError("ExpiredIteratorException", "The shard iterator has expired");
  }
  return position;
}

function parseIterator(iterator: string): ShardPosition | undefined {
  const [streamArn, version, place, ...more] = iterator.split("|");
  if (streamArn === undefined || version !== "1" || place === undefined || more.length > 0) return undefined;
  try {
    const [next, issuedAt, shard, emptyPages] = JSON.parse(
      Buffer.from(place, "base64url").toString(),
    ) as unknown[];
    if (!isCount(next) || typeof issuedAt !== "number") return undefined;
    return {
      streamArn,
      next,
      issuedAt,
      ...(isCount(shard) && { shard }),
      ...(isCount(emptyPages) && { emptyPages }),
    };
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The error for a position whose records were trimmed. */
export function trimmedDataError(): DynamoError<"TrimmedDataAccessException"> {
  return dynamoError(
    "TrimmedDataAccessException",
    "The operation attempted to read past the oldest stream record in a shard",
  );
}

/** The error for a shard that a stream does not have. */
export function shardNotFound(
  streamArn: string,
  shard: string | undefined,
): DynamoError<"ResourceNotFoundException"> {
  return dynamoError(
    "ResourceNotFoundException",
    `Requested resource not found: Shard: ${shard} in Stream: ${streamArn} not found`,
  );
}
