import { writeUnits } from "@tablekeep/core";
import type { Consumption } from "../catalog/consumption.ts";
import { CountChange } from "../catalog/counts.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import { type Change, isSameItem } from "../change/change.ts";
import { updateExpiryEntry } from "../change/expiry-entries.ts";
import { updateIndexEntry } from "../change/index-entries.ts";
import { recordChange } from "../change/stream-records.ts";
import type { Database } from "../database/database.ts";
import type { StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { StoredItem } from "../values/stored-item.ts";
import type { WireItem } from "../values/wire-value.ts";

/**
 * Applies one change. All changes to items go through here: the item itself, its index entries, its expiry entry, its
 * change record and the counts, in one transaction. Adds the units used: by the larger of the two sizes, once for a
 * plain write.
 */
export function applyChange(
  database: Database,
  transaction: WriteTransaction,
  table: TableModel,
  change: Change,
  consumption: Consumption,
): void {
  const counts = new CountChange(table.id);
  applyOneChange(database, transaction, table, change, consumption, counts);
  counts.store(transaction);
}

/** Applies one of several changes to a table. The caller stores `counts` after the last. */
export function applyOneChange(
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
  if (before !== undefined && after !== undefined && isSameItem(before, after)) return;
  writeItem(transaction, change.at ?? itemKey(table, item), after);
  counts.replace(table.id, before, after);
  for (const index of table.indexes) {
    const own = database.service.transactionForIndex(transaction, index);
    updateIndexEntry(own, table, index, before, after, consumption, counts);
  }
  updateExpiryEntry(transaction, table, before, after);
  recordChange(database, transaction, table, change);
  database.watchers.collect(transaction, table, change);
}

/** Returns the item with a key, as the earlier writes leave it. */
export function latestItem(
  transaction: WriteTransaction,
  table: TableModel,
  key: WireItem,
): StoredItem | undefined {
  return latestItemAt(transaction, itemKey(table, key));
}

/** Returns the item at a storage key, as the earlier writes leave it. */
export function latestItemAt(transaction: WriteTransaction, at: StorageKey): StoredItem | undefined {
  transaction.checkUnlocked(at);
  const text = transaction.get(at);
  return text === undefined ? undefined : new StoredItem(text);
}

function writeItem(transaction: WriteTransaction, key: string, after: StoredItem | undefined): void {
  if (after === undefined) transaction.delete(key);
  else transaction.put(key, after.text);
}
