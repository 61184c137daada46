import { transactWrite } from "@tablekeep/client";
import { type Outcome, type TransactWriteItem, unwrap } from "@tablekeep/core";
import type { MailCall } from "../mail-context.ts";
import { removeQuietly } from "./body-writer.ts";
import { generationUpdate } from "./hours.ts";
import { indexKeys } from "./index-rows.ts";
import { chunkKey, summaryKey } from "./keys.ts";
import { recordsOf } from "./read-summaries.ts";
import type { ShardedContext } from "./sharded-context.ts";
import type { SummaryRecord } from "./summary-item.ts";

/** One action of a transaction is the bump of the generation. */
const summariesAtOnce = 99;

/** How often messages that others delete at the same time are looked up again. */
const maxRounds = 20;

/** Removes messages; gives how many there were. */
export async function removeMessages(
  context: ShardedContext,
  ids: readonly string[],
  call: MailCall,
): Promise<number> {
  let removed = 0;
  const distinct = [...new Set(ids)];
  for (let at = 0; at < distinct.length; at += summariesAtOnce) {
    const records = await recordsOf(context, distinct.slice(at, at + summariesAtOnce), call);
    removed += await removeRecords(
      context,
      records.filter((record) => record !== undefined),
      call,
    );
  }
  return removed;
}

/** The same for messages that were read before. */
export async function removeRecords(
  context: ShardedContext,
  records: readonly SummaryRecord[],
  call: MailCall,
): Promise<number> {
  const byHour = new Map<string, SummaryRecord[]>();
  for (const record of records) {
    const { hour } = record.place;
    byHour.set(hour, [...(byHour.get(hour) ?? []), record]);
  }
  const groups = [...byHour.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / summariesAtOnce) }, (_, at) =>
      group.slice(at * summariesAtOnce, (at + 1) * summariesAtOnce),
    ),
  );
  let removed = 0;
  for (const group of groups) removed += await removeGroup(context, group, call);
  return removed;
}

/** Removes messages of one hour: their summaries in one transaction, then what nobody finds any more. */
async function removeGroup(
  context: ShardedContext,
  group: readonly SummaryRecord[],
  call: MailCall,
): Promise<number> {
  let left = group;
  let removed: readonly SummaryRecord[] = [];
  let outcome: Outcome<unknown> | undefined;
  for (let round = 0; round < maxRounds && left.length > 0; round++) {
    outcome = await transactWrite(context.port, removal(context, left), call);
    if (outcome.kind === "ok") {
      removed = left;
      break;
    }
    if (outcome.kind !== "conflict") break;
    // Somebody else has deleted some of them.
    const ids = left.map(({ summary }) => summary.id);
    left = (await recordsOf(context, ids, call)).filter((record) => record !== undefined);
    outcome = undefined;
  }
  if (outcome !== undefined) unwrap(outcome);
  await removeQuietly(
    context,
    removed.flatMap((record) => [...chunkKeys(record), ...indexKeys(record)]),
  );
  return removed.length;
}

function removal(context: ShardedContext, group: readonly SummaryRecord[]): TransactWriteItem[] {
  const { TableName, Key, UpdateExpression, ExpressionAttributeValues } = generationUpdate(
    context,
    group[0]?.place.hour ?? "",
  );
  return [
    { Update: { TableName, Key, UpdateExpression, ExpressionAttributeValues } },
    ...group.map(({ summary, place }) => ({
      Delete: {
        TableName: context.table,
        Key: summaryKey(summary.id, place),
        ConditionExpression: "attribute_exists(pk)",
      },
    })),
  ];
}

function chunkKeys({ body, chunks }: SummaryRecord) {
  return Array.from({ length: chunks }, (_, index) => chunkKey(body, index));
}
