import { batchGet } from "@tablekeep/client";
import { type CallOptions, type Item, isTablekeepError } from "@tablekeep/core";
import type { MailMessage, MailSummary } from "../mail.ts";
import { isLive, type MailCall, type MailContext } from "../mail-context.ts";
import { MailError } from "../mail-error.ts";
import type { MailLayout } from "../mail-layout.ts";
import { matchMessage } from "../search/match-message.ts";
import { storeFailure } from "../store-failure.ts";
import { mhdynamoIncoming } from "./mhdynamo-incoming.ts";
import { countBucket, liveBuckets, readBuckets } from "./read-buckets.ts";
import { readItem } from "./read-item.ts";
import { removeAllItems, removeItems } from "./remove-items.ts";
import { firstStorageIdAt, placeOfStorageId, storageIdSource } from "./storage-id.ts";

/** The layout of the Go package: one item a message, in partitions by time. */
export function mhdynamoLayout(context: MailContext): MailLayout {
  const { clock, hostname, partitionBy } = context;
  const newId = storageIdSource(clock, hostname);
  /** Every read brings the whole message: who lists and then loads does not read twice. */
  let messages = new WeakMap<MailSummary, MailMessage>();
  /** What was read before a delete of ours may be gone. */
  const afterwards = (removal: Promise<void>): Promise<void> =>
    removal.finally(() => {
      messages = new WeakMap();
    });
  const expose = (message: MailMessage): MailSummary => {
    const { raw: _raw, mailhog: _mailhog, ...summary } = message;
    messages.set(summary, message);
    return summary;
  };
  const put = (item: Item, id: string, call: CallOptions) => putMessage(context, item, id, call);
  return {
    isId: (id) => placeOfStorageId(id, partitionBy) !== undefined,
    incoming: (envelope, options) => mhdynamoIncoming(context, { newId, put, expose }, envelope, options),
    async summary(id, call) {
      const [message] = await readMessages(context, [id], call);
      return message && expose(message);
    },
    async load(summaries, call) {
      const unknown = summaries.filter((summary) => !messages.has(summary)).map(({ id }) => id);
      const known = summaries.map((summary) => messages.get(summary));
      const found = (await readMessages(context, unknown, call)).values();
      return known.map((message) => message ?? found.next().value);
    },
    async *newest({ before, skip, want }, call) {
      let left = skip;
      for await (const message of readBuckets(
        context,
        { before, pageSize: Math.min(1000, skip + want) },
        call,
      )) {
        if (left > 0) left--;
        else yield expose(message);
      }
    },
    async *candidates(search, before, call) {
      for await (const message of readBuckets(context, { before }, call))
        if (matchMessage(search, message)) yield [{ summary: expose(message), matches: true }];
    },
    async recent(sinceMs, call) {
      const found: MailSummary[] = [];
      for await (const message of readBuckets(context, { from: firstStorageIdAt(sinceMs) }, call))
        found.push(expose(message));
      return found;
    },
    async count(call) {
      let count = 0;
      for (const bucket of liveBuckets(context)) count += await countBucket(context, bucket, call);
      return count;
    },
    remove: (ids, call, tally) => afterwards(removeItems(context, ids, call, tally)),
    removeAll: (call, tally) => afterwards(removeAllItems(context, call, tally)),
  };
}

/** An id holds 32 random bytes, so that what stands under it is ours, and a second put does no harm. */
async function putMessage(context: MailContext, item: Item, id: string, call: CallOptions): Promise<void> {
  const { port, table } = context;
  try {
    await port.putItem({ TableName: table, Item: item }, call);
  } catch (error) {
    if (!isTablekeepError(error) || !error.ambiguous) throw storeFailure(error);
    if (await isStored(context, item, call)) return;
    const message = `message ${id} may be stored: look for it before you send it again`;
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
