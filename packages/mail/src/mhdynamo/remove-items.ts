import { type BatchWriteEntry, batchWrite, deleteOnce } from "@tablekeep/client";
import { type Key, unwrap } from "@tablekeep/core";
import type { MailCall, MailContext } from "../mail-context.ts";
import { bucketKeys, liveBuckets, nowValue } from "./read-buckets.ts";
import { placeOfStorageId } from "./storage-id.ts";

/** How many are deleted at once. */
const parallel = 8;

/** Removes messages one by one; gives how many there were. */
export async function removeItems(
  context: MailContext,
  ids: readonly string[],
  call: MailCall,
): Promise<number> {
  const keys = [...new Set(ids)].flatMap((id) => {
    const place = placeOfStorageId(id, context.partitionBy);
    return place === undefined ? [] : { CreatedDate: { S: place.partition }, ID: { S: id } };
  });
  let removed = 0;
  for (let at = 0; at < keys.length; at += parallel) {
    const group = keys.slice(at, at + parallel);
    for (const one of await Promise.all(group.map((key) => removeItem(context, key, call)))) removed += one;
  }
  return removed;
}

async function removeItem(context: MailContext, key: Key, call: MailCall): Promise<number> {
  const { port, table } = context;
  const input = {
    TableName: table,
    Key: key,
    ConditionExpression: "Expires > :now",
    ExpressionAttributeValues: nowValue(context),
  };
  const outcome = await deleteOnce(port, input, call);
  if (outcome.kind === "conflict") return 0;
  if (outcome.kind === "unknown") {
    // Nobody writes an id again: gone is gone, whoever did it.
    const { Item } = await port.getItem({ TableName: table, Key: key, ConsistentRead: true }, call);
    if (Item === undefined) return 1;
  }
  unwrap(outcome);
  return 1;
}

/** Removes all messages; gives how many there were. */
export async function removeAllItems(context: MailContext, call: MailCall): Promise<number> {
  const { port, table } = context;
  const keyNames = { [table]: ["CreatedDate", "ID"] as const };
  let removed = 0;
  for (const bucket of liveBuckets(context)) {
    for await (const keys of bucketKeys(context, bucket, call)) {
      const entries = keys.map((key): BatchWriteEntry => ({ table, delete: key }));
      await batchWrite(port, entries, { ...call, parallel: 4, keyNames });
      removed += keys.length;
    }
  }
  return removed;
}
