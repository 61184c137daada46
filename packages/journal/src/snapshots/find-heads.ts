import { queryPages } from "@tablekeep/client";
import type { CallOptions, Item, Key, QueryInput } from "@tablekeep/core";
import { boundsTime, type SnapshotBounds } from "./snapshot-bounds.ts";
import { portOptions, requestOptions, type SnapshotContext } from "./snapshot-context.ts";

/** The query for the heads within bounds, without its page size. Numbers by key, timestamps by filter. */
function headsQuery(context: SnapshotContext, persistenceId: string, bounds: SnapshotBounds): QueryInput {
  const timed = boundsTime(bounds);
  return {
    TableName: context.table,
    KeyConditionExpression: "par = :par AND seq BETWEEN :minSeq AND :maxSeq",
    ...(timed && { FilterExpression: "ts BETWEEN :minTs AND :maxTs" }),
    ExpressionAttributeValues: {
      ":par": { S: context.keys.partition(persistenceId) },
      ":minSeq": { N: String(bounds.minSequenceNr) },
      ":maxSeq": { N: String(bounds.maxSequenceNr) },
      ...(timed && {
        ":minTs": { N: String(bounds.minTimestamp) },
        ":maxTs": { N: String(bounds.maxTimestamp) },
      }),
    },
    ConsistentRead: true,
  };
}

/** The largest page of a search: DynamoDB ends one at 1 MB anyway. */
const maxPage = 256;

/**
 * The heads within bounds, whole, from the highest number down. The first page is one row, which is nearly always the one
 * that is wanted; pages double from there. A page that a filter leaves empty ends nothing.
 */
export async function* headsDown(
  context: SnapshotContext,
  persistenceId: string,
  bounds: SnapshotBounds,
  options: CallOptions,
): AsyncGenerator<Item, void, undefined> {
  const query = { ...headsQuery(context, persistenceId, bounds), ScanIndexForward: false };
  let start: Key | undefined;
  for (let limit = 1; ; limit = Math.min(2 * limit, maxPage)) {
    const input = { ...query, ExclusiveStartKey: start, Limit: limit };
    const page = await context.port.query(input, portOptions(context, options));
    yield* page.Items ?? [];
    start = page.LastEvaluatedKey;
    if (start === undefined) return;
  }
}

/** What is needed of a head to list and delete it. */
export interface HeadKey {
  readonly sequenceNr: number;
  readonly timestamp: number;
  /** The id of a chunked snapshot; undefined for one in a single item. */
  readonly snapshotId: string | undefined;
}

/** The heads within bounds, page by page and without their states. */
export async function* headKeyPages(
  context: SnapshotContext,
  persistenceId: string,
  bounds: SnapshotBounds,
  options: CallOptions & { readonly down?: boolean },
): AsyncGenerator<HeadKey[], void, undefined> {
  const input: QueryInput = {
    ...headsQuery(context, persistenceId, bounds),
    ScanIndexForward: options.down !== true,
    ProjectionExpression: "seq, ts, sid",
  };
  for await (const page of queryPages(context.port, input, requestOptions(context, options))) {
    yield (page.Items ?? []).map((item) => ({
      sequenceNr: Number(item["seq"]?.N),
      timestamp: Number(item["ts"]?.N),
      snapshotId: item["sid"]?.S,
    }));
  }
}
