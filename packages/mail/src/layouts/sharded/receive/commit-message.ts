import { type BatchWriteEntry, batchWrite, settlePut } from "@tablekeep/client";
import { type Item, isAmbiguous, isTablekeepError } from "@tablekeep/core";
import { type MailCall, sharedNow } from "../../../model/mail-context.ts";
import { MailError } from "../../../model/mail-error.ts";
import type { ShardedContext } from "../context/sharded-context.ts";
import { generationUpdate, settlingMs } from "../hours/hours.ts";
import { keyNames, type ParsedId } from "../items/mail-keys.ts";
import { type SummaryRecord, writeSummary } from "../items/summary-item.ts";

/** AWS: API_BatchWriteItem. */
const maxBatch = 25;

/** A message to commit. */
export interface UncommittedMessage {
  readonly record: SummaryRecord;
  /** The other items that are still to be written. */
  readonly others: readonly Item[];
}

/**
 * Writes the remaining items of a message: `others`, and then the summary that commits it. Where a batch is atomic
 * they are one request instead of two. Rejects with `MAIL_OUTCOME_UNKNOWN` if the message may or may not be stored.
 */
export async function commitMessage(
  context: ShardedContext,
  { record, others }: UncommittedMessage,
  call: MailCall,
): Promise<void> {
  const mayBeOne = context.port.atomicBatches === true && others.length < maxBatch;
  try {
    // Blocks of signatures are not made in the next minutes. They would never have the message if the process ended right after it was stored.
    if (isLate(context, record.place)) await invalidate(context, record, call);
    if (!mayBeOne || !(await writeAtOnce(context, record, others, call))) {
      await writeOthers(context, others, call);
      await writeLast(context, record, call);
    }
    context.ids.stored(record.place, record.summary.id);
    await invalidateIfLate(context, record, call);
  } catch (error) {
    const isAbsent = isTablekeepError(error) && !error.ambiguous;
    if (!isAbsent) context.ids.forget(record.place);
    throw error;
  }
}

/** Returns whether everything was written. */
async function writeAtOnce(
  { port, table }: ShardedContext,
  record: SummaryRecord,
  others: readonly Item[],
  call: MailCall,
): Promise<boolean> {
  const requests = [...others, writeSummary(record)].map((Item) => ({ PutRequest: { Item } }));
  try {
    const { UnprocessedItems = {} } = await port.batchWriteItem(
      { RequestItems: { [table]: requests } },
      call,
    );
    return Object.keys(UnprocessedItems).length === 0;
  } catch (error) {
    if (isAmbiguous(error)) throw outcomeUnknown(record.summary.id, error);
    throw error;
  }
}

/** Writes items that no reader finds before the summary is written. */
export async function writeOthers(
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

/** Whether a message is committed so long after the time in its id that what was read of its hour may be cached. */
export function isLate(context: Pick<ShardedContext, "clock" | "port">, { ms }: ParsedId): boolean {
  return sharedNow(context) > ms + settlingMs / 2;
}

/** What was read of settled messages is cached: a message that is committed so late must invalidate it. */
export async function invalidateIfLate(
  context: ShardedContext,
  record: SummaryRecord,
  call: MailCall,
): Promise<void> {
  if (!isLate(context, record.place)) return;
  try {
    await invalidate(context, record, call);
  } catch (error) {
    throw outcomeUnknown(record.summary.id, error);
  }
}

async function invalidate(context: ShardedContext, { place }: SummaryRecord, call: MailCall): Promise<void> {
  context.ids.forget(place);
  await context.port.updateItem(generationUpdate(context, place), { ...call, idempotent: true });
}

export function outcomeUnknown(id: string, cause: unknown): MailError<"MAIL_OUTCOME_UNKNOWN"> {
  const message = `message ${id} may or may not be stored: check before sending it again`;
  return new MailError("MAIL_OUTCOME_UNKNOWN", message, { id }, { cause, ambiguous: true });
}
