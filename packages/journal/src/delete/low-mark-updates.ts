import { cancellationMeaning } from "@tablekeep/client";
import {
  type CancellationReason,
  isDynamoError,
  type TransactWriteItem,
  type UpdateItemInput,
} from "@tablekeep/core";
import { sendIdempotent } from "../context/calls.ts";
import { type Call, isShared, type JournalContext } from "../context/journal-context.ts";
import type { MarkWrite } from "../layouts/layout.ts";
import { type LowMark, lowMarkNames, markUpdate } from "../protocol/marks.ts";
import { guardAttribute } from "../protocol/writer-item.ts";
import type { Life } from "./life.ts";

/**
 * Raises the low mark of the writer item, which our readers and writers use. Returns false if the mark is not lower, or
 * if the id has another life. `high` is for the Akka plugin, which searches for the last row only in the bucket that
 * the high mark names.
 */
export async function raiseLowMark(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  {
    life,
    high,
  }: { readonly life: Life; readonly high?: { readonly known: number; readonly reached: number } },
  options: Call,
): Promise<boolean> {
  const { table, layout } = context;
  const update = lowMarkUpdate(context, persistenceId, mark, life, "<");
  const highMark =
    high && isShared(context) ? layout.highMark(persistenceId, high.known, high.reached) : undefined;
  const actions = [
    { Update: update },
    ...(highMark === undefined ? [] : [{ Update: markUpdate(table, highMark) }]),
  ];
  return (await sendActions(context, actions, options)) === undefined;
}

/**
 * Records that no row below the low mark is left, and raises the Akka plugin's low mark if the layout has one; unless
 * another delete has raised the mark meanwhile, which then does the rest. `lastRow` is removed in the same transaction:
 * the plugin deletes from its low mark on and never reads below it, and until that mark is raised, the last row shows
 * it the highest sequence number.
 */
export async function finishDelete(
  context: JournalContext,
  persistenceId: string,
  done: LowMark,
  { life, lastRow }: { readonly life: Life; readonly lastRow?: TransactWriteItem },
  options: Call,
): Promise<void> {
  const { table, layout } = context;
  const progress = { Update: lowMarkUpdate(context, persistenceId, done, life, "=") };
  const mark = layout.lowMark(persistenceId, done.lowest);
  const isOwn = JSON.stringify(mark.key) === JSON.stringify(layout.writerKey(persistenceId));
  let others: TransactWriteItem[] = [
    ...(isOwn ? [] : [{ Update: originalLowMark(table, mark) }]),
    ...(lastRow === undefined ? [] : [lastRow]),
  ];
  for (;;) {
    const refused = await sendActions(context, [progress, ...others], options);
    if (refused === undefined || refused.includes(0)) return;
    // The plugin has raised its mark further, or another delete has removed the row: send the rest.
    others = others.filter((_action, at) => !refused.includes(at + 1));
  }
}

/** Sends actions in one transaction. Returns the indexes of those whose conditions failed; undefined if none did. */
async function sendActions(
  context: JournalContext,
  actions: readonly TransactWriteItem[],
  options: Call,
): Promise<readonly number[] | undefined> {
  const { port } = context;
  const [first] = actions;
  if (actions.length === 1 && first?.Update !== undefined) {
    const input = first.Update as UpdateItemInput;
    // It only sets values, so sending it twice does no harm.
    return (await sendIdempotent(context, options, (call) => port.updateItem(input, call))) ? undefined : [0];
  }
  let refused: readonly number[] | undefined;
  await sendIdempotent(context, options, async (call) => {
    try {
      await port.transactWriteItems({ TransactItems: [...actions] }, call);
    } catch (error) {
      if (!isDynamoError(error, "TransactionCanceledException")) throw error;
      const reasons = error.details.cancellationReasons ?? [];
      if (cancellationMeaning(reasons) !== "conflict") throw error;
      refused = refusedOf(reasons);
    }
  });
  return refused;
}

function refusedOf(reasons: readonly CancellationReason[]): readonly number[] {
  return reasons.flatMap(({ Code }, at) => (Code === "ConditionalCheckFailed" ? [at] : []));
}

function originalLowMark(
  TableName: string,
  { key, attribute, value }: MarkWrite,
): NonNullable<TransactWriteItem["Update"]> {
  return {
    TableName,
    Key: key,
    UpdateExpression: "SET #mark = :value",
    ConditionExpression: "attribute_not_exists(#mark) OR #mark <= :value",
    ExpressionAttributeNames: { "#mark": attribute },
    ExpressionAttributeValues: { ":value": { N: String(value) } },
  };
}

function lowMarkUpdate(
  { table, layout }: JournalContext,
  persistenceId: string,
  { lowest, rowsFrom, tombsFrom, tombsDue }: LowMark,
  life: Life,
  stored: "<" | "=",
): NonNullable<TransactWriteItem["Update"]> {
  const isLower = stored === "<" ? "(attribute_not_exists(#low) OR #low < :low)" : "#low = :low";
  return {
    TableName: table,
    Key: layout.writerKey(persistenceId),
    UpdateExpression: "SET #low = :low, #rows = :rows, #tombs = :tombs, #due = :due",
    ConditionExpression: `life = :life AND ${isLower}`,
    ExpressionAttributeNames: {
      "#low": guardAttribute,
      "#rows": lowMarkNames.rowsFrom,
      "#tombs": lowMarkNames.tombsFrom,
      "#due": lowMarkNames.tombsDue,
    },
    ExpressionAttributeValues: {
      ":life": { S: life.name },
      ":low": { N: String(lowest) },
      ":rows": { N: String(rowsFrom) },
      ":tombs": { N: String(tombsFrom) },
      ":due": { N: String(tombsDue) },
    },
  };
}
