import { type BatchWriteEntry, batchWrite, settlePut } from "@tablekeep/client";
import { type Item, isTablekeepError } from "@tablekeep/core";
import type { MailCall } from "../../model/mail-context.ts";
import { MailError } from "../../model/mail-error.ts";
import { generationUpdate, settlingMs } from "./hours.ts";
import { hourStart, keyNames } from "./keys.ts";
import type { ShardedContext } from "./sharded-context.ts";
import { type SummaryRecord, writeSummary } from "./summary-item.ts";

/** AWS: API_BatchWriteItem. */
const maxBatch = 25;

/**
 * Writes what is left of a message: `others`, and then the summary that makes it one. Where a batch is written whole or
 * not at all they go together, with one request instead of two. Rejects with `MAIL_OUTCOME_UNKNOWN` if it may be stored
 * all the same.
 */
export async function commitMessage(
  context: ShardedContext,
  record: SummaryRecord,
  others: readonly Item[],
  call: MailCall,
): Promise<void> {
  const mayBeOne = context.port.atomicBatches === true && others.length < maxBatch;
  if (!mayBeOne || !(await writeAtOnce(context, record, others, call))) {
    await writeOthers(context, others, call);
    await writeLast(context, record, call);
  }
  await tellIfLate(context, record, call);
}

/** Whether all is written. */
async function writeAtOnce(
  { port, table, commitBatcher }: ShardedContext,
  record: SummaryRecord,
  others: readonly Item[],
  call: MailCall,
): Promise<boolean> {
  await commitBatcher.together();
  const requests = [...others, writeSummary(record)].map((Item) => ({ PutRequest: { Item } }));
  try {
    const { UnprocessedItems = {} } = await port.batchWriteItem(
      { RequestItems: { [table]: requests } },
      call,
    );
    return Object.keys(UnprocessedItems).length === 0;
  } catch (error) {
    if (isTablekeepError(error) && error.ambiguous) throw outcomeUnknown(record.summary.id, error);
    throw error;
  }
}

async function writeOthers(
  { port, table }: ShardedContext,
  others: readonly Item[],
  call: MailCall,
): Promise<void> {
  const entries = others.map((put): BatchWriteEntry => ({ table, put }));
  await batchWrite(port, entries, { ...call, parallel: 2, keyNames: { [table]: keyNames } });
}

async function writeLast(
  { port, table }: ShardedContext,
  record: SummaryRecord,
  call: MailCall,
): Promise<void> {
  const options = { ...call, keyNames, insertOnly: true, writeIdAttribute: "write" };
  const outcome = await settlePut(port, { TableName: table, Item: writeSummary(record) }, options);
  if (outcome.kind === "unknown") throw outcomeUnknown(record.summary.id, outcome.error);
  if (outcome.kind !== "ok") throw outcome.error;
}

/** What is known of an hour that ended is remembered: a message that comes so late has to be told of. */
async function tellIfLate(
  context: ShardedContext,
  { summary, place }: SummaryRecord,
  call: MailCall,
): Promise<void> {
  if (context.clock.now() <= hourStart(place.hour) + 3_600_000 + settlingMs / 2) return;
  try {
    await context.port.updateItem(generationUpdate(context, place.hour), { ...call, idempotent: true });
  } catch (error) {
    throw outcomeUnknown(summary.id, error);
  }
}

function outcomeUnknown(id: string, cause: unknown): MailError<"MAIL_OUTCOME_UNKNOWN"> {
  const message = `message ${id} may be stored: look for it before you send it again`;
  return new MailError("MAIL_OUTCOME_UNKNOWN", message, { id }, { cause, ambiguous: true });
}
