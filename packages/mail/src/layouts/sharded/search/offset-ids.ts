import { queryPages } from "@tablekeep/client";
import { nextTurn } from "../../../model/background-work.ts";
import type { MailCall, MailContext } from "../../../model/mail-context.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import type { SettledIds } from "../hours/hour-ids.ts";
import type { Hour } from "../hours/hours.ts";
import { hourPartition } from "../items/mail-keys.ts";
import { ofPartitions } from "../read/read-summaries.ts";
import { existingIdsOfBlocks } from "./read-blocks.ts";

/** Offsets below this are skipped by reading summaries. */
const smallOffset = 200;

/**
 * Returns the ids of an hour, oldest first, if they are known, or worth reading for an offset: they can be remembered, and many
 * summaries would be read otherwise.
 */
export async function idsForOffset(
  context: ShardedContext,
  hour: Hour,
  offset: number,
  call: MailCall,
): Promise<readonly string[] | undefined> {
  const known = context.ids.of(hour);
  if (known !== undefined || offset < smallOffset || !hour.calm || hour.expiring) return known;
  const settled = await settledIds(context, hour, call);
  const partitions = Array.from({ length: hour.shards }, (_, shard) =>
    hourPartition("m", { ...hour, shard }),
  );
  const lists = await ofPartitions(context, partitions, (partition) =>
    idsFrom(context, partition, settled.before, call),
  );
  const ids = [...settled.ids, ...lists.flat().sort()];
  context.ids.put(hour, ids);
  return ids;
}

/** The ids that are in memory, or in blocks: an id costs much less there than as a summary. */
async function settledIds(context: ShardedContext, hour: Hour, call: MailCall): Promise<SettledIds> {
  const known = context.ids.settledOf(hour);
  return known.ids.length > 0 ? known : ((await existingIdsOfBlocks(context, hour, call)) ?? known);
}

async function idsFrom(
  { port, table }: MailContext,
  partition: string,
  from: string,
  call: MailCall,
): Promise<string[]> {
  const input = {
    TableName: table,
    KeyConditionExpression: "pk = :pk AND sk >= :from",
    // A key must not be empty.
    ExpressionAttributeValues: { ":pk": { S: partition }, ":from": { S: from || " " } },
    ProjectionExpression: "sk",
    ConsistentRead: true,
  };
  const ids: string[] = [];
  for await (const { Items } of queryPages(port, input, call)) {
    for (const { sk } of Items ?? []) if (sk?.S !== undefined) ids.push(sk.S);
    await nextTurn();
  }
  return ids;
}
