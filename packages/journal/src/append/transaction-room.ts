import { itemSize, maxTransactActions, maxTransactBytes } from "@tablekeep/client";
import type { TransactWriteItem } from "@tablekeep/core";
import type { ExtraAction } from "./extra-actions.ts";
import type { PreparedWrite } from "./prepared-write.ts";

/** Left to what DynamoDB counts of an update beyond its key and values, in bytes an action. */
const reservedBytes = 2048;

/** How many rows of a write, the lowest first, fit into one transaction beside these actions. */
export function rowsThatFit({ sizes }: PreparedWrite, extras: readonly ExtraAction[]): number {
  let bytes = extras.reduce((total, { action }) => total + actionBytes(action), 0);
  let rows = 0;
  for (const size of sizes) {
    bytes += size;
    if (rows + extras.length >= maxTransactActions || bytes > maxTransactBytes) break;
    rows++;
  }
  return rows;
}

function actionBytes({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): number {
  const other = Update ?? Delete ?? ConditionCheck;
  if (Put !== undefined) return itemSize(Put.Item ?? {});
  return itemSize(other?.Key ?? {}) + itemSize(other?.ExpressionAttributeValues ?? {}) + reservedBytes;
}
