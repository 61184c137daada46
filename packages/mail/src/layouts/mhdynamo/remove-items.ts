import { type BatchWriteEntry, batchWrite, settleDelete } from "@tablekeep/client";
import type { Key } from "@tablekeep/core";
import type { MailCall, MailContext } from "../../model/mail-context.ts";
import type { RemovalCounter } from "../../model/mail-layout.ts";
import { bucketKeys, liveBuckets, nowValue } from "./read-buckets.ts";
import { placeOfStorageId } from "./storage-id.ts";

/** The number of items that are deleted at once. */
const parallel = 8;

/** Removes messages one by one, and counts those that existed. */
export async function removeItems(
  context: MailContext,
  ids: readonly string[],
  call: MailCall,
  removed: RemovalCounter,
): Promise<void> {
  const keys = [...new Set(ids)].flatMap((id) => {
    const place = placeOfStorageId(id, context.partitionBy);
    return place === undefined ? [] : { CreatedDate: { S: place.partition }, ID: { S: id } };
  });
  for (let at = 0; at < keys.length; at += parallel) {
    const group = keys.slice(at, at + parallel).map(async (key) => {
      if (await removeItem(context, key, call)) removed.add([key.ID.S]);
    });
    // All requests have ended before an error is thrown.
    for (const ended of await Promise.allSettled(group)) if (ended.status === "rejected") throw ended.reason;
  }
}

async function removeItem(context: MailContext, key: Key, call: MailCall): Promise<boolean> {
  const { port, table } = context;
  const input = {
    TableName: table,
    Key: key,
    ConditionExpression: "Expires > :now",
    ExpressionAttributeValues: nowValue(context),
  };
  const outcome = await settleDelete(port, input, call);
  if (outcome.kind === "ok") return true;
  if (outcome.kind === "conflict") return false;
  // An id is never written again: if the item is absent, it has been deleted.
  if (outcome.kind === "unknown" && (await isGone(context, key, call))) return true;
  throw outcome.error;
}

async function isGone({ port, table }: MailContext, key: Key, call: MailCall): Promise<boolean> {
  try {
    const { Item } = await port.getItem({ TableName: table, Key: key, ConsistentRead: true }, call);
    return Item === undefined;
  } catch {
    return false;
  }
}

/** Removes all messages, and counts them. */
export async function removeAllItems(
  context: MailContext,
  call: MailCall,
  removed: RemovalCounter,
): Promise<void> {
  const { port, table } = context;
  const keyNames = { [table]: ["CreatedDate", "ID"] as const };
  for (const bucket of liveBuckets(context)) {
    for await (const keys of bucketKeys(context, bucket, call)) {
      const entries = keys.map((key): BatchWriteEntry => ({ table, delete: key }));
      await batchWrite(port, entries, { ...call, parallel: 4, keyNames });
      removed.add(keys.map((key) => key["ID"]?.S ?? ""));
    }
  }
}
