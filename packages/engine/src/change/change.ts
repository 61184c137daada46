import type { StorageKey } from "../storage/storage.ts";
import { equalItems } from "../values/compare-values.ts";
import type { StoredItem } from "../values/stored-item.ts";

/** One item of one table before and after a write; absent where there is no item. */
export interface Change {
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
  /** The item's storage key, where it is known already. */
  readonly at?: StorageKey;
  /** Who made it, where it was not a caller: an expired item's deletion is the service's own. */
  readonly byTimeToLive?: boolean;
}

export function isSame(before: StoredItem, after: StoredItem): boolean {
  return before.text === after.text || equalItems(before.item, after.item);
}
