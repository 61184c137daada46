import { queryPages } from "@tablekeep/client";
import { isDynamoError, type UpdateItemInput } from "@tablekeep/core";
import { nextTurn } from "../../../model/background-work.ts";
import type { MailCall } from "../../../model/mail-context.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { allSettled, exactBlocks, type Hour, type SettledCount } from "../hours/hours.ts";
import { hourKey, hourPartition, parseId } from "../items/mail-keys.ts";
import { ofPartitions } from "./read-summaries.ts";

/** Counts all messages. The counts of ended hours are stored in the directory until something changes. */
export async function countMessages(context: ShardedContext, call: MailCall): Promise<number> {
  const { hours } = await context.hours.read(call);
  return countHours(context, hours, call);
}

/** Counts the messages of these hours. */
export async function countHours(
  context: ShardedContext,
  hours: readonly Hour[],
  call: MailCall,
): Promise<number> {
  let total = 0;
  for (const hour of hours) total += await countHour(context, hour, call);
  return total;
}

async function countHour(context: ShardedContext, hour: Hour, call: MailCall): Promise<number> {
  const known = knownCount(hour);
  if (known !== undefined) return known;
  const count = context.ids.of(hour)?.length ?? (await readCount(context, hour, call));
  if (!hour.expiring && hour.quiet) await remember(context, hour, count, call);
  return count;
}

/** Counts settled messages once, and later only those after them. */
async function readCount(context: ShardedContext, hour: Hour, call: MailCall): Promise<number> {
  const key = `${hour.era}#${hour.hour}`;
  const { generation, settledBefore, calm, expiring } = hour;
  if (expiring) return countRange(context, hour, firstId, allSettled, call);
  const known = knownBelow(context.settledCounts.get(key), hour);
  if (known.before === allSettled) return known.count;
  if (!calm || !isWellAfter(settledBefore, known.before))
    return known.count + (await countRange(context, hour, known.before, allSettled, call));
  const settled = await countRange(context, hour, known.before, settledBefore, call);
  const later =
    settledBefore === allSettled ? 0 : await countRange(context, hour, settledBefore, allSettled, call);
  const count = known.count + settled;
  if (context.settledCounts.size >= maxCounts) context.settledCounts.clear();
  context.settledCounts.set(key, { generation, before: settledBefore, count });
  return count + later;
}

/** The known number of messages of an hour below an id: from an earlier count, or from blocks. */
function knownBelow(found: SettledCount | undefined, hour: Hour): Pick<SettledCount, "before" | "count"> {
  const counted = found?.generation === hour.generation ? found : { before: firstId, count: 0 };
  const blocks = exactBlocks(hour);
  return blocks !== undefined && blocks.before > counted.before ? blocks : counted;
}

/** Whether enough messages have settled to count them separately, which takes one more request for each shard. */
function isWellAfter(settledBefore: string, known: string): boolean {
  return settledBefore === allSettled || msOf(settledBefore) - msOf(known) >= 60_000;
}

function msOf(bound: string): number {
  return parseId(bound)?.ms ?? 0;
}

/** The number of hours whose counts are kept in memory. */
const maxCounts = 100;

/** Sorts before all ids. */
const firstId = " ";

/** Counts the messages with ids from `from` on and below `before`. */
async function countRange(
  context: ShardedContext,
  hour: Hour,
  from: string,
  before: string,
  call: MailCall,
): Promise<number> {
  const partitions = Array.from({ length: hour.shards }, (_, shard) =>
    hourPartition("m", { ...hour, shard }),
  );
  const counts = await ofPartitions(context, partitions, (partition) =>
    countPartition(context, partition, { from, before, hour }, call),
  );
  return counts.reduce((sum, each) => sum + each, 0);
}

/** The number of messages of an hour, if it is known without a read. */
export function knownCount({ expiring, counted }: Hour): number | undefined {
  return expiring ? undefined : counted;
}

async function countPartition(
  { port, table, clock }: ShardedContext,
  partition: string,
  {
    from,
    before,
    hour: { expiring },
  }: { readonly from: string; readonly before: string; readonly hour: Hour },
  call: MailCall,
): Promise<number> {
  const now = { ":now": { N: String(Math.floor(clock.now() / 1000)) } };
  const input = {
    TableName: table,
    KeyConditionExpression: "pk = :pk AND sk BETWEEN :from AND :until",
    ExpressionAttributeValues: {
      ":pk": { S: partition },
      ":from": { S: from },
      ":until": { S: justBelow(before) },
      ...(expiring && now),
    },
    Select: "COUNT" as const,
    ConsistentRead: true,
    ...(expiring && { FilterExpression: "expires > :now" }),
  };
  let count = 0;
  for await (const page of queryPages(port, input, call)) {
    count += page.Count ?? 0;
    await nextTurn();
  }
  return count;
}

/** Returns a string above all ids below a bound, and below all others: the time in a bound is followed by zeros. */
function justBelow(bound: string): string {
  return bound === allSettled ? bound : bound.slice(0, -1);
}

/** Stores a count, if the generation of the hour is still that before the count. */
async function remember(
  { port, table, logger }: ShardedContext,
  { era, hour, generation }: Hour,
  count: number,
  call: MailCall,
): Promise<void> {
  const input: UpdateItemInput = {
    TableName: table,
    Key: hourKey({ era, hour }),
    UpdateExpression: "SET counted = :count, countgen = :gen",
    ConditionExpression: generation === 0 ? "attribute_not_exists(gen)" : "gen = :gen",
    ExpressionAttributeValues: { ":count": { N: String(count) }, ":gen": { N: String(generation) } },
  };
  try {
    await port.updateItem(input, { ...call, idempotent: true });
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return;
    logger.debug("could not store a count of messages", { table, hour, error });
  }
}

/** Returns the hours that may contain messages older than an id, newest first. */
export function liveHours(hours: readonly Hour[], before: string | undefined): Hour[] {
  const last = before === undefined ? undefined : parseId(before)?.hour;
  return hours.filter((hour) => (last === undefined || hour.hour <= last) && knownCount(hour) !== 0);
}
