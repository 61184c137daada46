import { queryPages } from "@tablekeep/client";
import {
  type CallOptions,
  type Item,
  type Key,
  type OptionChecks,
  optionCheck,
  type QueryInput,
} from "@tablekeep/core";
import { checkOptions } from "../errors/journal-error.ts";
import { portOptions, requestOptions, type SnapshotContext } from "./snapshot-context.ts";
import type { SnapshotCriteria } from "./snapshots.ts";

/** Criteria with every bound filled in. */
export interface SnapshotBounds {
  readonly minSequenceNr: number;
  readonly maxSequenceNr: number;
  readonly minTimestamp: number;
  readonly maxTimestamp: number;
}

const checks: OptionChecks<SnapshotCriteria> = {
  minSequenceNr: optionCheck.integer(0),
  maxSequenceNr: optionCheck.upperBound,
  minTimestamp: optionCheck.integer(0),
  maxTimestamp: optionCheck.upperBound,
};

/**
 * The bounds that criteria set; undefined where nothing can match: bounds that exclude each other, and Akka's
 * `SnapshotSelectionCriteria.None`, which has both upper bounds at 0.
 */
export function boundsOf(criteria: SnapshotCriteria): SnapshotBounds | undefined {
  checkOptions(criteria, checks);
  const { minSequenceNr = 0, minTimestamp = 0 } = criteria;
  const maxSequenceNr = Math.min(criteria.maxSequenceNr ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const maxTimestamp = Math.min(criteria.maxTimestamp ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  if (maxSequenceNr === 0 && maxTimestamp === 0) return undefined;
  if (minSequenceNr > maxSequenceNr || minTimestamp > maxTimestamp) return undefined;
  return { minSequenceNr, maxSequenceNr, minTimestamp, maxTimestamp };
}

/** Whether the bounds leave some timestamps out. */
function boundsTime({ minTimestamp, maxTimestamp }: SnapshotBounds): boolean {
  return minTimestamp > 0 || maxTimestamp < Number.MAX_SAFE_INTEGER;
}

/** The query for the heads within bounds, without its page size. Numbers by key, timestamps by filter. */
function headsQuery(context: SnapshotContext, persistenceId: string, bounds: SnapshotBounds): QueryInput {
  const timed = boundsTime(bounds);
  const { keys } = context;
  const filters = [
    ...(timed ? ["ts BETWEEN :minTs AND :maxTs"] : []),
    // Not the events among which they lie.
    ...(keys.besideEvents ? ["attribute_not_exists(ev)", "attribute_not_exists(tomb)"] : []),
  ];
  return {
    TableName: context.table,
    KeyConditionExpression: "par = :par AND #sort BETWEEN :minSeq AND :maxSeq",
    ...(filters.length > 0 && { FilterExpression: filters.join(" AND ") }),
    ExpressionAttributeNames: { "#sort": keys.names[1] },
    ExpressionAttributeValues: {
      ":par": { S: keys.partition(persistenceId) },
      ":minSeq": { N: keys.numberOf(bounds.minSequenceNr) },
      ":maxSeq": { N: keys.numberOf(bounds.maxSequenceNr) },
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

/** The first page where snapshots lie among events: those that came after the latest are read on the way. */
const firstBesideEvents = 16;

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
  for (
    let limit = context.keys.besideEvents ? firstBesideEvents : 1;
    ;
    limit = Math.min(2 * limit, maxPage)
  ) {
    const input = { ...query, ExclusiveStartKey: start, Limit: limit };
    const page = await context.port.query(input, portOptions(context, options));
    for (const item of page.Items ?? []) if (context.keys.sequenceNrOf(item) !== undefined) yield item;
    start = page.LastEvaluatedKey;
    if (start === undefined) return;
  }
}

/** The parts of a head that listing and deleting need. */
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
    ProjectionExpression: "#sort, ts, sid",
  };
  for await (const page of queryPages(context.port, input, requestOptions(context, options))) {
    yield (page.Items ?? []).flatMap((item) => {
      const sequenceNr = context.keys.sequenceNrOf(item);
      if (sequenceNr === undefined) return [];
      return { sequenceNr, timestamp: Number(item["ts"]?.N), snapshotId: item["sid"]?.S };
    });
  }
}
