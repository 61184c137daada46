import { type CallOptions, isDynamoError, type UpdateItemInput } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { type LowMark, lowMarkNames } from "../position/low-mark.ts";

/** Raises the low mark. False if one stands there that is not lower. */
export function raiseLowMark(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  options: CallOptions,
): Promise<boolean> {
  return update(context, lowMarkUpdate(context, persistenceId, mark, "<"), options);
}

/** Notes how far a delete has come; not if another has raised the mark meanwhile and taken the work over. */
export async function noteProgress(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  options: CallOptions,
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

async function update(
  { port }: JournalContext,
  input: UpdateItemInput,
  options: CallOptions,
): Promise<boolean> {
  try {
    // It only sets values: to send it twice is to send it once.
    await port.updateItem(input, { ...options, idempotent: true });
    return true;
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    throw error;
  }
}
