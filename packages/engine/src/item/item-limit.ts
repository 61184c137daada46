import type { CheckedItem } from "./check-item.ts";
import { invalid } from "./refuse.ts";
import { StoredItem } from "./stored-item.ts";

/** AWS: Limits — the size of an item, names and values, in bytes. */
const maxItemBytes = 400 * 1024;

/** Packs an item that is to be stored as it is. */
export function packNewItem({ item, size, hasBytes }: CheckedItem): StoredItem {
  if (size > maxItemBytes) throw invalid("Item size has exceeded the maximum allowed size");
  return StoredItem.pack(item, size, hasBytes);
}

/** Packs an item that an update made. */
export function packUpdatedItem({ item, size, hasBytes }: CheckedItem): StoredItem {
  if (size > maxItemBytes) throw invalid("Item size to update has exceeded the maximum allowed size");
  return StoredItem.pack(item, size, hasBytes);
}
