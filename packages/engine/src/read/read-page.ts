import { holds } from "../expression/holds.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import { StoredItem } from "../item/stored-item.ts";
import { getOwn, setOwn, type WireItem, type WireValue } from "../item/wire-value.ts";
import type { KeyRange, Storage } from "../storage/storage.ts";
import { pageKeyNames } from "./key-condition.ts";
import type { Source } from "./key-range.ts";

/** AWS: Query — a page ends when it has read this many bytes, before filter and projection. */
export const maxPageBytes: number = 1024 * 1024;

/** A page as it was read. */
export interface Page {
  /** The entries that passed the filter. */
  readonly entries: readonly StoredItem[];
  /** How many were read. */
  readonly scanned: number;
  /** Bytes of all that were read. */
  readonly bytes: number;
  /** The last entry that was read, if the page ended there and not because there was no more. */
  readonly stoppedAt: StoredItem | undefined;
}

/** Reads entries in order until `limit` of them, a page's worth of bytes, or the end of the range. */
export function readPage(
  storage: Storage,
  range: KeyRange,
  filter: Condition | undefined,
  limit: number | undefined,
): Page {
  const entries: StoredItem[] = [];
  let scanned = 0;
  let bytes = 0;
  let stoppedAt: StoredItem | undefined;
  storage.scan(range, (_key, text) => {
    const entry = new StoredItem(text);
    scanned++;
    bytes += entry.size;
    if (filter === undefined || holds(filter, entry.item)) entries.push(entry);
    if (scanned === limit || bytes >= maxPageBytes) stoppedAt = entry;
    return stoppedAt === undefined;
  });
  return { entries, scanned, bytes, stoppedAt };
}

/** The keys by which the next page begins after this entry. */
export function pageKey({ table, index }: Source, { item }: StoredItem): WireItem {
  const key: Record<string, WireValue> = {};
  for (const name of pageKeyNames(table.keyNames, index)) {
    const value = getOwn(item, name);
    if (value !== undefined) setOwn(key, name, value);
  }
  return key;
}
