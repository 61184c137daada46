import { itemSuffix, regionOf, regions } from "../catalog/storage-keys.ts";
import type { TableModel, TimeToLiveRecord } from "../catalog/table-model.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import type { StoredItem } from "../values/stored-item.ts";
import { getOwn } from "../values/wire-value.ts";

/** Updates the expiry entry of a changed item. */
export function updateExpiryEntry(
  transaction: WriteTransaction,
  table: TableModel,
  before: StoredItem | undefined,
  after: StoredItem | undefined,
): void {
  if (table.record.timeToLive === undefined) return;
  const oldKey = before && expiryKey(table, before);
  const newKey = after && expiryKey(table, after);
  if (oldKey === newKey) return;
  if (oldKey !== undefined) transaction.delete(oldKey);
  if (newKey !== undefined) transaction.put(newKey, "");
}

/** Returns an item's key in the order of expiry; undefined if it never expires. */
export function expiryKey(table: TableModel, stored: StoredItem): string | undefined {
  const { timeToLive } = table.record;
  if (timeToLive === undefined) return undefined;
  const seconds = expiresAt(timeToLive, stored);
  if (seconds === undefined) return undefined;
  return expiryRegion(timeToLive) + secondsKey(seconds) + itemSuffix(table, stored.item);
}

/** Returns the prefix of all expiry entries of a table. */
export function expiryRegion({ id }: Pick<TimeToLiveRecord, "id">): string {
  return regions.expiry + id;
}

/** Returns the storage key of the item to which an expiry entry belongs. */
export function itemKeyOfEntry(table: TableModel, timeToLive: TimeToLiveRecord, key: string): string {
  return regionOf(table) + key.slice(expiryRegion(timeToLive).length + secondsLength);
}

const secondsLength = 12;

/** Formats seconds with a constant length, so that keys sort by time. */
export function secondsKey(seconds: number): string {
  return seconds.toString(16).padStart(secondsLength, "0");
}

/** Returns when an item expires, in seconds since 1970. AWS: TTL — only numbers count, as whole seconds. */
function expiresAt({ attribute }: TimeToLiveRecord, stored: StoredItem): number | undefined {
  const value = getOwn(stored.item, attribute);
  if (value === undefined || !("N" in value)) return undefined;
  const seconds = Math.floor(Number(value.N));
  return seconds > 0 && seconds < 2 ** 47 ? seconds : undefined;
}
