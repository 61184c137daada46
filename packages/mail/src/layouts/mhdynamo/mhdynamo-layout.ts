import { batchGet } from "@tablekeep/client";
import { type CallOptions, type Item, isTablekeepError } from "@tablekeep/core";
import { isLive, type MailCall, type MailContext } from "../../model/mail-context.ts";
import { MailError, storeFailure } from "../../model/mail-error.ts";
import type { MailLayout } from "../../model/mail-layout.ts";
import type { MailMessage, MailSummary } from "../../model/message.ts";
import { matchMessage } from "../../search/match-message.ts";
import { mhdynamoIncoming } from "./incoming-message.ts";
import { countBucket, liveBuckets, readBuckets } from "./read-buckets.ts";
import { readItem, summaryOf } from "./read-message-item.ts";
import { removeAllItems, removeItems } from "./remove-items.ts";
import { firstStorageIdAt, placeOfStorageId, storageIdSource } from "./storage-id.ts";

/** The layout of the Go package: one item per message, in partitions by time. */
export function mhdynamoLayout(context: MailContext): MailLayout {
  const { clock, hostname, partitionBy } = context;
  const newId = storageIdSource(clock, hostname);
  const put = (item: Item, id: string, call: CallOptions) => putMessage(context, item, id, call);
  return {
    isId: (id) => placeOfStorageId(id, partitionBy) !== undefined,
    idAt: firstStorageIdAt,
    incoming: (envelope, options) => mhdynamoIncoming(context, { newId, put }, envelope, options),
    async summary(id, call) {
      const [message] = await readMessages(context, [id], call);
      return message && summaryOf(message);
    },
    async message(id, call) {
      const [message] = await readMessages(context, [id], call);
      return message;
    },
    // Read again, although the list has read all of it: others may have deleted messages meanwhile.
    load: (summaries, call) =>
      readMessages(
        context,
        summaries.map(({ id }) => id),
        call,
      ),
    async *newest({ before, skip, want }, call) {
      let left = skip;
      for await (const message of readBuckets(
        context,
        { before, pageSize: Math.min(1000, skip + want) },
        call,
      )) {
        if (left > 0) left--;
        else yield summaryOf(message);
      }
    },
    async *candidates(search, before, call) {
      for await (const message of readBuckets(context, { before }, call))
        if (await matchMessage(search, message)) yield [{ summary: summaryOf(message), matches: true }];
    },
    async recent(sinceMs, call) {
      const found: MailSummary[] = [];
      for await (const message of readBuckets(context, { from: firstStorageIdAt(sinceMs) }, call))
        found.push(summaryOf(message));
      return found;
    },
    async count(call) {
      let count = 0;
      for (const bucket of liveBuckets(context)) count += await countBucket(context, bucket, call);
      return count;
    },
    timeOf: (id) => placeOfStorageId(id, partitionBy)?.ms ?? 0,
    remove: (ids, call, removed) => removeItems(context, ids, call, removed),
    removeAll: (call, removed) => removeAllItems(context, call, removed),
  };
}

/** An id contains 32 random bytes, so an item with this id is ours, and a repeated put is harmless. */
async function putMessage(context: MailContext, item: Item, id: string, call: CallOptions): Promise<void> {
  const { port, table } = context;
  try {
    await port.putItem({ TableName: table, Item: item }, call);
  } catch (error) {
    if (!isTablekeepError(error) || !error.ambiguous) throw storeFailure(error);
    if (await isStored(context, item, call)) return;
    const message = `message ${id} may or may not be stored: check before sending it again`;
    throw new MailError("MAIL_OUTCOME_UNKNOWN", message, { id }, { cause: error, ambiguous: true });
  }
}

async function isStored({ port, table }: MailContext, item: Item, call: CallOptions): Promise<boolean> {
  const { CreatedDate, ID } = item;
  if (CreatedDate === undefined || ID === undefined) return false;
  try {
    const found = await port.getItem(
      { TableName: table, Key: { CreatedDate, ID }, ConsistentRead: true },
      call,
    );
    return found.Item !== undefined;
  } catch {
    return false;
  }
}

async function readMessages(
  context: MailContext,
  ids: readonly string[],
  call: MailCall,
): Promise<(MailMessage | undefined)[]> {
  const { port, table, partitionBy } = context;
  const keys = ids.map((id) => {
    const place = placeOfStorageId(id, partitionBy);
    return place && { table, key: { CreatedDate: { S: place.partition }, ID: { S: id } } };
  });
  const wanted = keys.filter((key) => key !== undefined);
  const items = (await batchGet(port, wanted, { ...call, consistent: true })).values();
  return keys.map((key) => {
    const item = key && items.next().value;
    const message = item && readItem(item, partitionBy);
    return message !== undefined && isLive(context, message.expires) ? message : undefined;
  });
}
