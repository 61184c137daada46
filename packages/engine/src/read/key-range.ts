import { indexKey, itemKey, partitionOf, regionOf } from "../catalog/storage-keys.ts";
import type { IndexModel, KeyAttribute, TableModel } from "../catalog/table-model.ts";
import { contentOf, type WireItem, type WireValue } from "../item/wire-value.ts";
import { delimited, keyBytes } from "../key-order/key-bytes.ts";
import { type KeyRange, keyAfter, prefixEnd } from "../storage/storage.ts";
import type { KeyCondition, RangeCondition } from "./key-condition.ts";

/** What a query or scan reads: a table, or an index of it. */
export interface Source {
  readonly table: TableModel;
  readonly index: IndexModel | undefined;
}

/** The storage keys that a key condition selects. */
export function queryRange({ table, index }: Source, condition: KeyCondition): KeyRange {
  const keys = index ?? table;
  let base = regionOf(keys) + partitionOf(keys, condition.partition);
  // In an index each sort key is delimited, because the item's own key follows; in a table it ends the key.
  const bytesOf = (attribute: KeyAttribute, value: WireValue): string => {
    const bytes = keyBytes(attribute.type, contentOf(value) as string);
    return index === undefined ? bytes : delimited(bytes);
  };
  for (const { attribute, value } of condition.equalRange) base += bytesOf(attribute, value);
  if (condition.range === undefined) return { start: base, end: endOf(base, condition, index) };
  return rangeBounds(base, condition.range, index !== undefined, bytesOf);
}

/** An equality on a table's whole key selects one key; on anything else, all that begin so. */
function endOf(base: string, condition: KeyCondition, index: IndexModel | undefined): string {
  const whole = index === undefined && condition.equalRange.length > 0;
  return whole ? keyAfter(base) : prefixEnd(base);
}

function rangeBounds(
  base: string,
  range: RangeCondition,
  inIndex: boolean,
  bytesOf: (attribute: KeyAttribute, value: WireValue) => string,
): KeyRange {
  const at = (value: WireValue) => base + bytesOf(range.attribute, value);
  const past = (value: WireValue) => (inIndex ? prefixEnd(at(value)) : keyAfter(at(value)));
  switch (range.kind) {
    case "<":
      return { start: base, end: at(range.value) };
    case "<=":
      return { start: base, end: past(range.value) };
    case ">":
      return { start: past(range.value), end: prefixEnd(base) };
    case ">=":
      return { start: at(range.value), end: prefixEnd(base) };
    case "between":
      return { start: at(range.value), end: past(range.high) };
    case "begins_with": {
      const marked = at(range.value);
      // Two bytes end a delimited key; a prefix must not have them.
      const prefix = inIndex ? marked.slice(0, -2) : marked;
      return { start: prefix, end: prefixEnd(prefix) };
    }
  }
}

/** All keys of a table or index, or of one of `total` equal parts of it. */
export function scanRange({ table, index }: Source, segment = 0, total = 1): KeyRange {
  const region = regionOf(index ?? table);
  const cut = (part: number) => region + hashBound(Math.floor((part * 2 ** 32) / total));
  return {
    start: segment === 0 ? region : cut(segment),
    end: segment === total - 1 ? prefixEnd(region) : cut(segment + 1),
  };
}

function hashBound(value: number): string {
  return String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

/** The storage key of the entry that a page ended with. */
export function positionOf({ table, index }: Source, keys: WireItem): string | undefined {
  return index === undefined ? itemKey(table, keys) : indexKey(table, index, keys);
}
