import { type SeriesPrefix, seriesRegion } from "../storage/series.ts";
import type { StorageKey } from "../storage/storage.ts";
import { delimit, hashBytes, keyBytes, partitionHash } from "../values/key-bytes.ts";
import { contentOf, getOwn, tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";
import { fitsIndex } from "./key-limits.ts";
import type { IndexModel, KeyAttribute, KeyModel, TableModel } from "./table-model.ts";

/**
 * The layout of the storage: one ordered key space, divided by the first byte.
 *
 *     0 name                                        the engine's own records
 *     1 table  hash(partition key)  sort key        items
 *     2 index  hash(index keys) sort keys  item key index entries
 *     3 stream number of the first                  change records
 *     4 token                                       tokens of recent transactions
 *     5 expiry time in seconds  item key            items that will expire
 */
export const regions: Readonly<
  Record<"meta" | "items" | "indexes" | "streams" | "tokens" | "expiry", StorageKey>
> = {
  meta: "\0",
  items: "\x01",
  indexes: "\x02",
  streams: seriesRegion,
  tokens: "\x04",
  expiry: "\x05",
};

/** Returns the series of a stream's change records. */
export function streamSeries(streamId: string): SeriesPrefix {
  return regions.streams + streamId;
}

/** Returns the key of one of the engine's own records. */
export function metaKey(name: string): string {
  return regions.meta + name;
}

/** Returns an item's key within its table, which is also the end of its index entries' keys. */
export function itemSuffix(table: TableModel, item: WireItem): string {
  const range = table.range[0];
  return partitionOf(table, item) + (range === undefined ? "" : attributeBytes(range, item));
}

/** Returns the storage key of an item. */
export function itemKey(table: TableModel, item: WireItem): string {
  return regions.items + table.id + itemSuffix(table, item);
}

/** Returns the prefix of all items of a table, or of all entries of an index. */
export function regionOf(source: TableModel | IndexModel): string {
  return ("keyNames" in source ? regions.items : regions.indexes) + source.id;
}

/** Returns the bytes of a partition, which follow {@link regionOf}. */
export function partitionOf(keys: KeyModel, item: WireItem): string {
  const [first, ...others] = keys.hash;
  let bytes = attributeBytes(first, item);
  for (const other of others) bytes = delimit(bytes) + attributeBytes(other, item);
  return partitionHash(bytes);
}

/** Returns the partition of a storage key of a table or an index. Local indexes share the partitions of their table. */
export function partitionName(table: TableModel, index: IndexModel | undefined, at: string): string {
  const region = index?.kind === "global" ? regionOf(index) : regionOf(table);
  return region + at.slice(region.length, region.length + hashBytes);
}

/**
 * Returns the storage key of an item's entry in an index; undefined if it has none: it lacks one of the index's keys,
 * or has, from before the index, a value that is not valid as one.
 */
export function indexKey(table: TableModel, index: IndexModel, item: WireItem): string | undefined {
  for (const { name, type } of index.keys) {
    const value = getOwn(item, name);
    if (value === undefined || tagOf(value) !== type) return undefined;
  }
  if (!fitsIndex(index, item)) return undefined;
  return regionOf(index) + partitionOf(index, item) + indexSuffix(table, index, item);
}

/** Returns what follows the partition in an index entry's key. */
function indexSuffix(table: TableModel, index: IndexModel, item: WireItem): string {
  let sort = "";
  for (const range of index.range) sort += delimit(attributeBytes(range, item));
  return sort + itemSuffix(table, item);
}

/** Returns a key attribute's bytes. The item is known to have it, of its type. */
function attributeBytes(attribute: KeyAttribute, item: WireItem): string {
  return keyBytes(attribute.type, contentOf(item[attribute.name] as WireValue) as string);
}
