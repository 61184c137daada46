import { transactWrite } from "@tablekeep/client";
import type { Item, TransactWriteItem } from "@tablekeep/core";
import type { MailCall } from "../../../model/mail-context.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { generationUpdate } from "../hours/hours.ts";
import { type SummaryRecord, writeSummary } from "../items/summary-item.ts";
import { changePut, newChange } from "../read/change-items.ts";
import {
  invalidateIfLate,
  isLate,
  outcomeUnknown,
  type UncommittedMessage,
  writeOthers,
} from "./commit-message.ts";

/** A transaction has at most 100 actions: three are for the message, its announcement and its hour. */
const maxOthers = 97;

/**
 * Commits a message that was received elsewhere, in one transaction with the change that announces it: watchers of all instances get it,
 * although its id is lower than those that they have received. Returns the record that was stored. Rejects if the message is already stored,
 * because another instance has imported it.
 */
export async function commitImport(
  context: ShardedContext,
  { record: given, others }: UncommittedMessage,
  call: MailCall,
): Promise<SummaryRecord> {
  const { place } = given;
  // On DynamoDB, an item of a transaction costs twice as much as one of a batch.
  const together = context.port.atomicBatches === true && others.length <= maxOthers ? others : [];
  if (together.length < others.length) await writeOthers(context, others, call);
  const change = newChange(context, "imported", [given.summary.id]);
  const record = { ...given, summary: { ...given.summary, imported: change.id } };
  const late = isLate(context, place);
  const actions = [
    ...together.map((each) => put(context, each)),
    insertion(context, record),
    changePut(context, change),
    ...(late ? [invalidation(context, record)] : []),
  ];
  const outcome = await transactWrite(context.port, actions, call);
  if (outcome.kind === "ok" && !late) context.ids.stored(place, record.summary.id);
  else context.ids.forget(place);
  if (outcome.kind === "unknown") throw outcomeUnknown(record.summary.id, outcome.error);
  if (outcome.kind !== "ok") throw outcome.error;
  if (!late) await invalidateIfLate(context, record, call);
  return record;
}

function put({ table }: Pick<ShardedContext, "table">, item: Item): TransactWriteItem {
  return { Put: { TableName: table, Item: item } };
}

/** A message that has expired is in the table for some time. */
function insertion({ table, clock }: ShardedContext, record: SummaryRecord): TransactWriteItem {
  return {
    Put: {
      TableName: table,
      Item: writeSummary(record),
      ConditionExpression: "attribute_not_exists(pk) OR expires <= :now",
      ExpressionAttributeValues: { ":now": { N: String(Math.floor(clock.now() / 1000)) } },
    },
  };
}

function invalidation(context: ShardedContext, { place }: SummaryRecord): TransactWriteItem {
  const { TableName, Key, UpdateExpression, ExpressionAttributeValues } = generationUpdate(context, place);
  return { Update: { TableName, Key, UpdateExpression, ExpressionAttributeValues } };
}
