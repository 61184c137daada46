import type { Consumption } from "../capacity/consumption.ts";
import { writeUnits } from "../capacity/units.ts";
import { CountChange } from "../catalog/counts.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import { type Change, isSame } from "../change/change.ts";
import { updateExpiryEntry } from "../change/expiry-entries.ts";
import { updateIndexEntry } from "../change/index-entries.ts";
import { recordChange } from "../change/stream-records.ts";
import type { Database } from "../database/database.ts";
import type { StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { StoredItem } from "../values/stored-item.ts";
import type { WireItem } from "../values/wire-value.ts";

/**
 * The one place where items change: the item itself, its index entries, its expiry entry and its change record, in the
 * same transaction, and how many there are. Counts the units used: by the larger of the two sizes, once for a plain write.
 */
export function applyChange(
  database: Database,
  transaction: WriteTransaction,
  table: TableModel,
  change: Change,
  consumption: Consumption,
): void {
  const counts = new CountChange(table.id);
  applyOneOfMany(database, transaction, table, change, consumption, counts);
  counts.store(transaction);
}

/** The same for one of several changes to a table. The caller stores `counts` after the last. */
export function applyOneOfMany(
  database: Database,
  transaction: WriteTransaction,
  table: TableModel,
  change: Change,
  consumption: Consumption,
  counts: CountChange,
): void {
  const { before, after } = change;
  consumption.addTable(writeUnits(Math.max(before?.size ?? 0, after?.size ?? 0)));
  const item = (after ?? before)?.item;
  if (item === undefined) return;
  if (before !== undefined && after !== undefined && isSame(before, after)) return;
  writeItem(transaction, change.at ?? itemKey(table, item), after);
  counts.replace(table.id, before, after);
  for (const index of table.indexes) {
    const own = database.service.transactionForIndex(transaction, index);
    updateIndexEntry(own, table, index, before, after, consumption, counts);
  }
  updateExpiryEntry(transaction, table, before, after);
  recordChange(database.clock, transaction, table, change);
  database.watchers.note(transaction, table, change);
}

/** The item that a key names, as the writes before this one leave it. */
export function latestItem(
  transaction: WriteTransaction,
  table: TableModel,
  key: WireItem,
): StoredItem | undefined {
  return latestItemAt(transaction, itemKey(table, key));
}

/** The item at a storage key, as the writes before this one leave it. */
export function latestItemAt(transaction: WriteTransaction, at: StorageKey): StoredItem | undefined {
  transaction.checkUnlocked(at);
  const text = transaction.get(at);
  return text === undefined ? undefined : new StoredItem(text);
}

function writeItem(transaction: WriteTransaction, key: string, after: StoredItem | undefined): void {
  if (after === undefined) transaction.delete(key);
  else transaction.put(key, after.text);
}
