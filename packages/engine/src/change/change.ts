import type { StorageKey } from "../storage/storage.ts";
import { equalItems } from "../values/compare-values.ts";
import type { StoredItem } from "../values/stored-item.ts";

/** One item before and after a write; undefined where there is no item. */
export interface Images {
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
}

/** One change to one table. */
export interface Change extends Images {
  /** The item's storage key, if it is known already. */
  readonly at?: StorageKey;
  /** Set if the item expired: such a deletion is reported as the service's own. */
  readonly byTimeToLive?: boolean;
}

/** Returns whether two items are equal. The order of attributes, or of the elements of a set, makes no difference. */
export function isSameItem(one: StoredItem, two: StoredItem): boolean {
  return one.text === two.text || equalItems(one.item, two.item);
}
