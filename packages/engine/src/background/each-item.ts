import { regionOf } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database.ts";
import { keyAfter, prefixEnd } from "../storage/storage.ts";
import type { WriteTransaction } from "../write/write-queue.ts";
import { Portion } from "./portion.ts";

/**
 * Visits a portion of a table's items after `cursor`, each as the writes before this one leave it. Gives the cursor of
 * the next portion, or undefined if this was the last.
 */
export function eachItem(
  database: Database,
  transaction: WriteTransaction,
  table: TableModel,
  cursor: string,
  visit: (text: string) => void,
): string | undefined {
  const region = regionOf(table);
  const portion = new Portion();
  let last: string | undefined;
  const range = { start: cursor === "" ? region : keyAfter(cursor), end: prefixEnd(region) };
  database.bareStorage.scan(range, (key, committed) => {
    const text = transaction.get(key);
    if (text !== undefined) visit(text);
    if (portion.take(committed)) return true;
    last = key;
    return false;
  });
  return last;
}
