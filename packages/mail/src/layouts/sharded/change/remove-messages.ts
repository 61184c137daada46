import { transactWrite, waitWithin } from "@tablekeep/client";
import type { Key, TransactWriteItem } from "@tablekeep/core";
import type { MailCall } from "../../../model/mail-context.ts";
import type { ChangeEntry, RemovalCounter } from "../../../model/mail-layout.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { inCurrentEra } from "../hours/eras.ts";
import { generationUpdate } from "../hours/hours.ts";
import { indexKeys } from "../items/index-items.ts";
import { chunkKey, summaryKey } from "../items/mail-keys.ts";
import type { SummaryRecord } from "../items/summary-item.ts";
import { changePut, newChange } from "../read/change-items.ts";
import { recordsOf } from "../read/read-summaries.ts";
import { removeUnreachable } from "../receive/incoming-message.ts";

/** One action of a transaction increments the generation, and one stores the change. */
const summariesAtOnce = 98;

/** The maximum number of times that messages which others delete concurrently are read again. */
const maxRounds = 20;

/** Removes messages, and counts those that existed. */
export async function removeMessages(
  context: ShardedContext,
  ids: readonly string[],
  call: MailCall,
  removed: RemovalCounter,
): Promise<void> {
  const distinct = [...new Set(ids)];
  for (let at = 0; at < distinct.length; at += summariesAtOnce) {
    const group = distinct.slice(at, at + summariesAtOnce);
    const records = await inCurrentEra(context.eras, call, (era) => recordsOf(context, era, group, call));
    const there = records.filter((record) => record !== undefined);
    await removeRecords(context, there, call, removed);
  }
}

/** Removes messages whose summaries were read before. */
async function removeRecords(
  context: ShardedContext,
  records: readonly SummaryRecord[],
  call: MailCall,
  removed: RemovalCounter,
): Promise<void> {
  const byHour = new Map<string, SummaryRecord[]>();
  for (const record of records) {
    const { era, hour } = record.place;
    const key = `${era}#${hour}`;
    byHour.set(key, [...(byHour.get(key) ?? []), record]);
  }
  for (const group of byHour.values()) {
    for (let at = 0; at < group.length; at += summariesAtOnce)
      await removeGroup(context, group.slice(at, at + summariesAtOnce), call, removed);
  }
}

/** Removes messages of one hour: their summaries in one transaction, then their other items, which are unreachable. */
async function removeGroup(
  context: ShardedContext,
  group: readonly SummaryRecord[],
  call: MailCall,
  removed: RemovalCounter,
): Promise<void> {
  let left = group;
  const { era = "", hour = "" } = group[0]?.place ?? {};
  let change: ChangeEntry | undefined;
  for (let round = 1; left.length > 0; round++) {
    change = newChange(
      context,
      "deleted",
      left.map(({ summary }) => summary.id),
    );
    const outcome = await transactWrite(context.port, removal(context, left, change), call);
    if (outcome.kind === "ok") break;
    if (outcome.kind !== "conflict" || round >= maxRounds) {
      context.ids.forget({ era, hour });
      throw outcome.error;
    }
    // Another delete has removed some of them.
    const ids = left.map(({ summary }) => summary.id);
    left = (await recordsOf(context, era, ids, call)).filter((record) => record !== undefined);
  }
  const ids = left.map(({ summary }) => summary.id);
  if (left.length > 0) context.ids.removed({ era, hour }, ids);
  removed.add(ids, change);
  const belongings = left.flatMap(belongingKeys);
  const clearing = removeUnreachable(context, belongings);
  context.background.add(clearing);
  // The messages are deleted: their other items neither delay the call nor fail it.
  await waitWithin(call, clearing).catch(() => {});
}

function removal(
  context: ShardedContext,
  group: readonly SummaryRecord[],
  change: ChangeEntry,
): TransactWriteItem[] {
  const { era = "", hour = "" } = group[0]?.place ?? {};
  const { TableName, Key, UpdateExpression, ExpressionAttributeValues } = generationUpdate(
    context,
    { era, hour },
    group.length,
  );
  return [
    { Update: { TableName, Key, UpdateExpression, ExpressionAttributeValues } },
    changePut(context, change),
    ...group.map(({ summary, place }) => ({
      Delete: {
        TableName: context.table,
        Key: summaryKey(summary.id, place),
        ConditionExpression: "attribute_exists(pk)",
      },
    })),
  ];
}

/** The keys of everything that belongs to a message, except its summary. */
export function belongingKeys(record: SummaryRecord): Key[] {
  return [...chunkKeys(record), ...indexKeys(record)];
}

function chunkKeys({ body, chunks }: SummaryRecord) {
  return Array.from({ length: chunks }, (_, index) => chunkKey(body, index));
}
