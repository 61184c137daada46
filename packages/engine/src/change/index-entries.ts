import { itemSize, writeUnits } from "@tablekeep/core";
import type { Consumption } from "../catalog/consumption.ts";
import type { CountChange } from "../catalog/counts.ts";
import { indexKey } from "../catalog/storage-keys.ts";
import type { IndexModel, TableModel } from "../catalog/table-model.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { StoredItem } from "../values/stored-item.ts";
import { setOwn, type WireValue } from "../values/wire-value.ts";
import { isSameItem } from "./change.ts";

/** Updates the index entry of a changed item, and adds its cost. */
export function updateIndexEntry(
  transaction: WriteTransaction,
  table: TableModel,
  index: IndexModel,
  before: StoredItem | undefined,
  after: StoredItem | undefined,
  consumption: Consumption,
  counts: CountChange,
): void {
  const oldKey = before && indexKey(table, index, before.item);
  const newKey = after && indexKey(table, index, after.item);
  // An item that the backfill has not reached yet has no entry.
  const absent = oldKey === undefined || (index.backfilling && transaction.get(oldKey) === undefined);
  const oldEntry = absent ? undefined : indexEntry(index, before as StoredItem);
  const newEntry = newKey === undefined ? undefined : indexEntry(index, after as StoredItem);
  counts.replace(index.id, oldEntry, newEntry);
  if (oldKey === newKey) {
    if (newKey === undefined || newEntry === undefined) return;
    if (oldEntry !== undefined && isSameItem(oldEntry, newEntry)) return;
    transaction.put(newKey, newEntry.text);
    consumption.addIndex(index, writeUnits(Math.max(oldEntry?.size ?? 0, newEntry.size)));
    return;
  }
  if (oldKey !== undefined && oldEntry !== undefined) {
    transaction.delete(oldKey);
    consumption.addIndex(index, writeUnits(oldEntry.size));
  }
  if (newKey !== undefined && newEntry !== undefined) {
    transaction.put(newKey, newEntry.text);
    consumption.addIndex(index, writeUnits(newEntry.size));
  }
}

/** Returns what an index stores of an item. */
export function indexEntry(index: IndexModel, stored: StoredItem): StoredItem {
  if (index.projected === "ALL") return stored;
  const entry: Record<string, WireValue> = {};
  for (const name of Object.keys(stored.item)) {
    if (index.projected.has(name)) setOwn(entry, name, stored.item[name] as WireValue);
  }
  return StoredItem.pack(entry, itemSize(entry), stored.hasBytes);
}
