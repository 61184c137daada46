import { indexKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { CheckedItem } from "../item/check-item.ts";
import { invalid, invalidRequest } from "../item/refuse.ts";
import { StoredItem } from "../item/stored-item.ts";
import { indexEntry } from "../secondary-index/index-entries.ts";

/** AWS: Limits — the size of an item with its copies in local indexes, names and values, in bytes. */
const maxItemBytes = 400 * 1024;

/** Packs an item that is to be stored as it is. Its request alone tells that it is too large: no transaction is begun. */
export function packNewItem(table: TableModel, checked: CheckedItem): StoredItem {
  return packed(table, checked, () => invalidRequest("Item size has exceeded the maximum allowed size"));
}

/** Packs an item that an update made. */
export function packUpdatedItem(table: TableModel, checked: CheckedItem): StoredItem {
  return packed(table, checked, () => invalid("Item size to update has exceeded the maximum allowed size"));
}

function packed(table: TableModel, { item, size, hasBytes }: CheckedItem, tooLarge: () => Error): StoredItem {
  if (size > maxItemBytes) throw tooLarge();
  const stored = StoredItem.pack(item, size, hasBytes);
  if (size + localCopiesSize(table, stored) > maxItemBytes) throw tooLarge();
  return stored;
}

function localCopiesSize(table: TableModel, stored: StoredItem): number {
  let bytes = 0;
  for (const index of table.indexes) {
    if (index.kind !== "local" || indexKey(table, index, stored.item) === undefined) continue;
    bytes += indexEntry(index, stored).size;
  }
  return bytes;
}
