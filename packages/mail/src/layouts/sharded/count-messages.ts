import { queryPages } from "@tablekeep/client";
import { isDynamoError, type UpdateItemInput } from "@tablekeep/core";
import type { MailCall } from "../../model/mail-context.ts";
import type { Hour } from "./hours.ts";
import { hourKey, hourPartition, placeOf } from "./keys.ts";
import type { ShardedContext } from "./sharded-context.ts";

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

async function readCount(context: ShardedContext, hour: Hour, call: MailCall): Promise<number> {
  const shards = Array.from({ length: hour.shards }, (_, shard) => shard);
  const counts = await Promise.all(
    shards.map((shard) => countPartition(context, hourPartition("m", { ...hour, shard }), hour, call)),
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
  { expiring }: Hour,
  call: MailCall,
): Promise<number> {
  const now = { ":now": { N: String(Math.floor(clock.now() / 1000)) } };
  const input = {
    TableName: table,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": { S: partition }, ...(expiring && now) },
    Select: "COUNT" as const,
    ConsistentRead: true,
    ...(expiring && { FilterExpression: "expires > :now" }),
  };
  let count = 0;
  for await (const page of queryPages(port, input, call)) count += page.Count ?? 0;
  return count;
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
    logger.debug("a count was not stored", { table, hour, error });
  }
}

/** Returns the hours that may contain messages older than an id, newest first. */
export function liveHours(hours: readonly Hour[], before: string | undefined): Hour[] {
  const last = before === undefined ? undefined : placeOf(before)?.hour;
  return hours.filter((hour) => (last === undefined || hour.hour <= last) && knownCount(hour) !== 0);
}
