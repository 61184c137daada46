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
import { clientOptions, portOptions, type SnapshotContext } from "./snapshot-context.ts";
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
 * Returns the bounds of criteria; undefined if nothing can match: contradictory bounds, and Akka's
 * `SnapshotSelectionCriteria.None`, whose upper bounds are both 0.
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

/** Returns whether the bounds exclude some timestamps. */
function boundsTime({ minTimestamp, maxTimestamp }: SnapshotBounds): boolean {
  return minTimestamp > 0 || maxTimestamp < Number.MAX_SAFE_INTEGER;
}

/** The query for the heads within bounds, without its page size. Numbers by key, timestamps by filter. */
function headsQuery(context: SnapshotContext, persistenceId: string, bounds: SnapshotBounds): QueryInput {
  const timed = boundsTime(bounds);
  const { keys } = context;
  const filters = [
    ...(timed ? ["ts BETWEEN :minTs AND :maxTs"] : []),
    // Without the events beside them.
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

/** The maximum page size of a search: DynamoDB ends a page at 1 MB anyway. */
const maxPage = 256;

/** The first page size if snapshots are stored among events: the events after the latest snapshot are read as well. */
const firstBesideEvents = 16;

/**
 * Reads the heads within bounds, in descending order. The first page is one row, which is nearly always the right one;
 * then page sizes double. A page that the filter leaves empty is not the end.
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
  readonly isExpired: boolean;
}

/** Reads the heads within bounds page by page, without their states. */
export async function* headKeyPages(
  context: SnapshotContext,
  persistenceId: string,
  bounds: SnapshotBounds,
  options: CallOptions & { readonly down?: boolean },
): AsyncGenerator<HeadKey[], void, undefined> {
  const input: QueryInput = {
    ...headsQuery(context, persistenceId, bounds),
    ScanIndexForward: options.down !== true,
    ProjectionExpression: "#sort, ts, sid, wid, expires",
  };
  const now = context.clock.now();
  for await (const page of queryPages(context.port, input, clientOptions(context, options))) {
    yield (page.Items ?? []).flatMap((item) => {
      const sequenceNr = context.keys.sequenceNrOf(item);
      if (sequenceNr === undefined) return [];
      // Only ours expire.
      const expires = item["wid"] === undefined ? undefined : item["expires"]?.N;
      const isExpired = Number(expires ?? Number.POSITIVE_INFINITY) <= now;
      return { sequenceNr, timestamp: Number(item["ts"]?.N ?? 0), snapshotId: item["sid"]?.S, isExpired };
    });
  }
}
