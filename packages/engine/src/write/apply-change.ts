import type { Consumption } from "../capacity/consumption.ts";
import { writeUnits } from "../capacity/units.ts";
import { CountChange } from "../catalog/counts.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database.ts";
import { equalItems } from "../item/equal-values.ts";
import { StoredItem } from "../item/stored-item.ts";
import type { WireItem } from "../item/wire-value.ts";
import { updateIndexEntry } from "../secondary-index/index-entries.ts";
import type { StorageKey } from "../storage/storage.ts";
import { recordChange } from "../stream/record-change.ts";
import { updateExpiryEntry } from "../ttl/expiry-entries.ts";
import type { WriteTransaction } from "./write-queue.ts";

/** One item of one table before and after a write; absent where there is no item. */
export interface Change {
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
  /** The item's storage key, where it is known already. */
  readonly at?: StorageKey;
  /** Who made it, where it was not a caller: an expired item's deletion is the service's own. */
  readonly byTimeToLive?: boolean;
}

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
    const own = database.behaviour?.forIndex(transaction, index) ?? transaction;
    updateIndexEntry(own, table, index, before, after, consumption, counts);
  }
  updateExpiryEntry(transaction, table, before, after);
  recordChange(database, transaction, table, change);
  database.watchers.note(database, transaction, table, change);
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
  transaction.checkFree?.(at);
  const text = transaction.get(at);
  return text === undefined ? undefined : new StoredItem(text);
}

function writeItem(transaction: WriteTransaction, key: string, after: StoredItem | undefined): void {
  if (after === undefined) transaction.delete(key);
  else transaction.put(key, after.text);
}

function isSame(before: StoredItem, after: StoredItem): boolean {
  return before.text === after.text || equalItems(before.item, after.item);
}
