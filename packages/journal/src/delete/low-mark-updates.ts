import { isDeepStrictEqual } from "node:util";
import type { UpdateItemInput } from "@tablekeep/core";
import { sendIdempotent } from "../append/send-idempotent.ts";
import { guardAttribute } from "../append/writer-item.ts";
import { isShared, type JournalCall, type JournalContext } from "../journal-context.ts";
import { type LowMark, lowMarkNames } from "../position/low-mark.ts";

/** Raises the low mark. False if one stands there that is not lower. */
export async function raiseLowMark(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  options: JournalCall,
): Promise<boolean> {
  if (isShared(context)) await raiseGuard(context, persistenceId, mark.lowest, options);
  return update(context, lowMarkUpdate(context, persistenceId, mark, "<"), options);
}

/** Raises what appends are checked against, unless the low mark itself stands there. */
async function raiseGuard(
  context: JournalContext,
  persistenceId: string,
  lowest: number,
  options: JournalCall,
): Promise<void> {
  const { table, layout } = context;
  if (
    layout.markKeys(persistenceId).low.some((key) => isDeepStrictEqual(key, layout.writerKey(persistenceId)))
  )
    return;
  const input = {
    TableName: table,
    Key: layout.writerKey(persistenceId),
    UpdateExpression: `SET ${guardAttribute} = :low`,
    ConditionExpression: `attribute_not_exists(${guardAttribute}) OR ${guardAttribute} < :low`,
    ExpressionAttributeValues: { ":low": { N: String(lowest) } },
  };
  await update(context, input, options);
}

/** Notes how far a delete has come; not if another has raised the mark meanwhile and taken the work over. */
export async function noteProgress(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  options: JournalCall,
): Promise<void> {
  await update(context, lowMarkUpdate(context, persistenceId, mark, "="), options);
}

function lowMarkUpdate(
  { table, layout }: JournalContext,
  persistenceId: string,
  { lowest, rowsFrom, tombsFrom, tombsDue }: LowMark,
  stored: "<" | "=",
): UpdateItemInput {
  const { key, attribute } = layout.lowMark(persistenceId, lowest);
  const isLower = `#low ${stored} :low`;
  return {
    TableName: table,
    Key: key,
    UpdateExpression: "SET #low = :low, #rows = :rows, #tombs = :tombs, #due = :due",
    ConditionExpression: stored === "<" ? `attribute_not_exists(#low) OR ${isLower}` : isLower,
    ExpressionAttributeNames: {
      "#low": attribute,
      "#rows": lowMarkNames.rowsFrom,
      "#tombs": lowMarkNames.tombsFrom,
      "#due": lowMarkNames.tombsDue,
    },
    ExpressionAttributeValues: {
      ":low": { N: String(lowest) },
      ":rows": { N: String(rowsFrom) },
      ":tombs": { N: String(tombsFrom) },
      ":due": { N: String(tombsDue) },
    },
  };
}

function update(context: JournalContext, input: UpdateItemInput, options: JournalCall): Promise<boolean> {
  // It only sets values: to send it twice is to send it once.
  return sendIdempotent(context, options, (call) => context.port.updateItem(input, call));
}
