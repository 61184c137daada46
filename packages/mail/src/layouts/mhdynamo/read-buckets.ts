import { queryPages } from "@tablekeep/client";
import type { Key, QueryInput } from "@tablekeep/core";
import { isLive, type MailCall, type MailContext } from "../../model/mail-context.ts";
import type { MailMessage } from "../../model/message.ts";
import { readItem } from "./read-message-item.ts";
import { partitionAt, placeOfStorageId, spanMs } from "./storage-id.ts";

/** How far the clock of another machine may be ahead. */
const skewMs = 5 * 60_000;

/** The messages to read. */
export interface BucketRange {
  /** Only ids below this. */
  readonly before?: string;
  /** Only ids from this on. */
  readonly from?: string;
  /** Items of one request. @default as many as fit */
  readonly pageSize?: number;
}

/**
 * Returns the partitions that may contain live messages, newest first: from now back to where the oldest expire, both ends
 * included. The Go package omits the last.
 */
export function liveBuckets({ clock, ttlDays, partitionBy }: MailContext, range: BucketRange = {}): string[] {
  const ends = (id: string | undefined) =>
    id === undefined ? undefined : placeOfStorageId(id, partitionBy)?.ms;
  const newest = Math.min(clock.now() + skewMs, ends(range.before) ?? Number.POSITIVE_INFINITY);
  const oldest = Math.max(clock.now() - ttlDays * 86_400_000, fromMs(range.from));
  const buckets: string[] = [];
  const last = partitionAt(oldest, partitionBy);
  for (let ms = newest; partitionAt(ms, partitionBy) >= last; ms -= spanMs(partitionBy))
    buckets.push(partitionAt(ms, partitionBy));
  return buckets;
}

function fromMs(from: string | undefined): number {
  return from === undefined ? 0 : Number(from.slice(0, 13));
}

/** Returns the live messages of a range, newest first. Skips items that are not messages. */
export async function* readBuckets(
  context: MailContext,
  range: BucketRange,
  call: MailCall,
): AsyncGenerator<MailMessage, void, undefined> {
  for (const bucket of liveBuckets(context, range)) {
    for await (const { Items } of queryPages(context.port, bucketQuery(context, bucket, range), call)) {
      for (const item of Items ?? []) {
        const message = readItem(item, context.partitionBy);
        if (message === undefined)
          context.logger.warn("skipped an item that is not a message", { table: context.table, bucket });
        else if (isLive(context, message.expires) && message.id !== range.before) yield message;
      }
    }
  }
}

function bucketQuery({ table }: MailContext, bucket: string, range: BucketRange): QueryInput {
  const { before = "~", from = "", pageSize } = range;
  return {
    TableName: table,
    KeyConditionExpression: "CreatedDate = :bucket AND ID BETWEEN :from AND :before",
    // An empty string is not a valid key; every id sorts above a blank.
    ExpressionAttributeValues: {
      ":bucket": { S: bucket },
      ":from": { S: from || " " },
      ":before": { S: before },
    },
    ScanIndexForward: false,
    ConsistentRead: true,
    ...(pageSize !== undefined && { Limit: pageSize }),
  };
}

/** The ids of messages begin with a digit. */
const idRange = { from: "0", before: ":" };

/** Returns the keys of the live messages of a partition: of items that {@link readItem} accepts. DynamoDB bills whole items. */
export async function* bucketKeys(
  context: MailContext,
  bucket: string,
  call: MailCall,
): AsyncGenerator<readonly Key[], void, undefined> {
  const query = bucketQuery(context, bucket, idRange);
  const input: QueryInput = {
    ...query,
    ProjectionExpression: "CreatedDate, ID",
    FilterExpression: "Expires > :now AND attribute_type(Msg.#raw, :map)",
    ExpressionAttributeNames: { "#raw": "Raw" },
    ExpressionAttributeValues: {
      ...query.ExpressionAttributeValues,
      ...nowValue(context),
      ":map": { S: "M" },
    },
  };
  // A filter cannot check the form of an id.
  for await (const { Items = [] } of queryPages(context.port, input, call))
    yield Items.filter(({ ID }) => placeOfStorageId(ID?.S ?? "", context.partitionBy) !== undefined);
}

/** Counts the live messages of a partition. */
export async function countBucket(context: MailContext, bucket: string, call: MailCall): Promise<number> {
  let count = 0;
  for await (const keys of bucketKeys(context, bucket, call)) count += keys.length;
  return count;
}

/** For filters: items that expire later than this are live. */
export function nowValue({ clock }: Pick<MailContext, "clock">): { ":now": { N: string } } {
  return { ":now": { N: String(Math.floor(clock.now() / 1000)) } };
}
