import { batchGet } from "@tablekeep/client";
import type { Item } from "@tablekeep/core";
import { isLive, type MailCall } from "../mail-context.ts";
import { mergeSorted } from "../merge-sorted.ts";
import type { Hour } from "./hours.ts";
import { hourPartition, summaryKey } from "./keys.ts";
import { placeOf } from "./message-id.ts";
import { type PartitionRange, readPartition } from "./read-partition.ts";
import type { ShardedContext } from "./sharded-context.ts";
import { readSummary, type SummaryRecord } from "./summary-item.ts";

/** The live messages of one hour, in order. */
export async function* hourSummaries(
  context: ShardedContext,
  { hour, shards }: Pick<Hour, "hour" | "shards">,
  range: PartitionRange,
  call: MailCall,
): AsyncGenerator<SummaryRecord, void, undefined> {
  const sources = Array.from({ length: shards }, (_, shard) =>
    summaryPages(context, hourPartition("m", { hour, shard }), range, call),
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
  for await (const items of readPartition(context, partition, range, call))
    yield items.flatMap((item) => liveRecord(context, item) ?? []);
}

/** A record that readers may see; undefined if it has expired or is none. */
function liveRecord(context: ShardedContext, item: Item | undefined): SummaryRecord | undefined {
  const record = item && readSummary(item);
  return record !== undefined && isLive(context, record.summary.expires) ? record : undefined;
}

/** The messages of these ids, in their order; undefined for those that are not there. */
export async function recordsOf(
  context: ShardedContext,
  ids: readonly string[],
  call: MailCall,
): Promise<(SummaryRecord | undefined)[]> {
  const keys = ids.map((id) => {
    const place = placeOf(id);
    return place && { table: context.table, key: summaryKey(id, place) };
  });
  const wanted = keys.filter((key) => key !== undefined);
  const found = await batchGet(context.port, wanted, { ...call, consistent: true });
  const items = found.values();
  return keys.map((key) => (key === undefined ? undefined : liveRecord(context, items.next().value)));
}

/** One message of all. */
export async function recordOf(
  context: ShardedContext,
  id: string,
  call: MailCall,
): Promise<SummaryRecord | undefined> {
  const place = placeOf(id);
  if (place === undefined) return undefined;
  const input = { TableName: context.table, Key: summaryKey(id, place), ConsistentRead: true };
  const { Item } = await context.port.getItem(input, call);
  return liveRecord(context, Item);
}
