import { batchGet, queryPages } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { nextTurn } from "../../../model/background-work.ts";
import { isLive, type MailCall, type MailContext } from "../../../model/mail-context.ts";
import type { MailSummary } from "../../../model/message.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { inCurrentEra } from "../hours/eras.ts";
import { type Hour, settlingMs } from "../hours/hours.ts";
import { firstIdAt, hourOf, hourPartition, parseId, summaryKey } from "../items/mail-keys.ts";
import { mergeSorted } from "../items/merge-sorted.ts";
import { readSummary, type SummaryRecord } from "../items/summary-item.ts";

/** The live messages of one hour, in order. */
export async function* hourSummaries(
  context: ShardedContext,
  { era, hour, shards }: Pick<Hour, "era" | "hour" | "shards">,
  range: PartitionRange,
  call: MailCall,
): AsyncGenerator<SummaryRecord, void, undefined> {
  const sources = Array.from({ length: shards }, (_, shard) =>
    summaryPages(context, hourPartition("m", { era, hour, shard }), range, call),
  );
  const oldestFirst = range.first === "oldest";
  yield* mergeSorted(sources, (one, other) => one.summary.id < other.summary.id === oldestFirst);
}

async function* summaryPages(
  context: ShardedContext,
  partition: string,
  range: PartitionRange,
  call: MailCall,
): AsyncGenerator<readonly SummaryRecord[], void, undefined> {
  for await (const items of readPartition(context, partition, range, call)) {
    if (items.length > recordsPerTurn) await nextTurn();
    yield items.flatMap((item) => liveRecord(context, item) ?? []);
  }
}

/** The number of records that are read before other work gets a turn of the event loop: an embedded table responds in the same turn. */
const recordsPerTurn = 500;

/** A visible record; undefined if it has expired or is not a record. */
function liveRecord(context: ShardedContext, item: Item | undefined): SummaryRecord | undefined {
  const record = item && readSummary(item);
  return record !== undefined && isLive(context, record.summary.expires) ? record : undefined;
}

/** Returns the messages of these ids in an era, in their order; undefined for those that do not exist. */
export async function recordsOf(
  context: ShardedContext,
  era: string,
  ids: readonly string[],
  call: MailCall,
): Promise<(SummaryRecord | undefined)[]> {
  const keys = ids.map((id) => {
    const place = parseId(id);
    return place && { table: context.table, key: summaryKey(id, { ...place, era }) };
  });
  const wanted = keys.filter((key) => key !== undefined);
  const found = await batchGet(context.port, wanted, { ...call, consistent: true });
  const items = found.values();
  return keys.map((key) => (key === undefined ? undefined : liveRecord(context, items.next().value)));
}

/** The record with this id, if its message exists now. */
export async function recordOf(
  context: ShardedContext,
  id: string,
  call: MailCall,
): Promise<SummaryRecord | undefined> {
  const place = parseId(id);
  if (place === undefined) return undefined;
  return inCurrentEra(context.eras, call, async (era) => {
    const Key = summaryKey(id, { ...place, era });
    const { Item } = await context.port.getItem(
      { TableName: context.table, Key, ConsistentRead: true },
      call,
    );
    return liveRecord(context, Item);
  });
}

/**
 * Reads something of each partition: all at the same time, or, from an embedded engine, one after the other, because the engine responds at once
 * and would do the work for all of them in one turn of the event loop.
 */
export async function ofPartitions<Result>(
  { port }: Pick<ShardedContext, "port">,
  partitions: readonly string[],
  read: (partition: string) => Promise<Result>,
): Promise<Result[]> {
  if (!port.atomicBatches) return Promise.all(partitions.map(read));
  const results: Result[] = [];
  for (const partition of partitions) results.push(await read(partition));
  return results;
}

/** The items of a partition to read, and how to read them. */
export interface PartitionRange {
  /** Only ids below this. */
  readonly before?: string;
  /** Only ids from this on. */
  readonly from?: string;
  /** @default "newest" */
  readonly first?: "newest" | "oldest";
  /** The number of items of one request. @default as many as fit */
  readonly pageSize?: number;
  /** Read consistently. @default true */
  readonly consistent?: boolean;
}

/** The items of a partition, page by page. */
export async function* readPartition(
  { port, table }: MailContext,
  partition: string,
  range: PartitionRange,
  call: MailCall,
): AsyncGenerator<readonly Item[], void, undefined> {
  const { before = "~", from = "", pageSize } = range;
  const input = {
    TableName: table,
    KeyConditionExpression:
      from === "" ? "pk = :pk AND sk < :before" : "pk = :pk AND sk BETWEEN :from AND :before",
    ExpressionAttributeValues: {
      ":pk": { S: partition },
      ":before": { S: before },
      ...(from !== "" && { ":from": { S: from } }),
    },
    ScanIndexForward: range.first === "oldest",
    ConsistentRead: range.consistent ?? true,
    ...(pageSize !== undefined && { Limit: pageSize }),
  };
  for await (const { Items } of queryPages(port, input, call))
    yield (Items ?? []).filter((item) => item["sk"]?.S !== before);
}

/** How long the number of shards that other instances use is cached. */
const directoryMs = 30_000;

/** Reads the latest messages that were not imported: one request per shard, and from time to time one more for the number of shards. */
export function recentReader(
  context: ShardedContext,
  expose: (record: SummaryRecord) => MailSummary,
): (sinceMs: number, call: MailCall) => Promise<MailSummary[]> {
  const { clock } = context;
  let shards = context.shards;
  let learnedAt = Number.NEGATIVE_INFINITY;
  return async (sinceMs, call) => {
    if (clock.monotonic() - learnedAt > directoryMs) {
      const { hours } = await context.hours.read(call);
      const polled = hours.filter(({ hour }, at) => at < 2 || hour >= hourOf(sinceMs));
      shards = Math.max(context.shards, ...polled.map((hour) => hour.shards));
      learnedAt = clock.monotonic();
    }
    const era = await context.eras.current(call);
    const found: MailSummary[] = [];
    // A clock of another machine may be ahead.
    for (const hour of hoursBetween(sinceMs, clock.now() + settlingMs)) {
      const range = { from: firstIdAt(sinceMs), first: "oldest", consistent: false } as const;
      for await (const record of hourSummaries(context, { era, hour, shards }, range, call))
        if (record.summary.imported === undefined && found.push(expose(record)) % recordsPerTurn === 0)
          await nextTurn();
    }
    return found;
  };
}

/** The names of all hours from one millisecond to another. */
export function hoursBetween(from: number, to: number): string[] {
  const hours: string[] = [];
  for (let ms = from; hourOf(ms) <= hourOf(to); ms += 3_600_000) hours.push(hourOf(ms));
  return hours;
}
