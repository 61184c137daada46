import { isDynamoError } from "@tablekeep/core";
import { checkKeyValueSize } from "../catalog/check-keys.ts";
import { indexKey, itemKey, partitionOf, regionOf } from "../catalog/storage-keys.ts";
import type { IndexModel, KeyAttribute } from "../catalog/table-model.ts";
import { type KeyRange, keyAfter, prefixEnd } from "../storage/storage.ts";
import { checkItem } from "../values/check-item.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { delimit, keyBytes } from "../values/key-bytes.ts";
import { contentOf, getOwn, tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";
import type { KeyCondition, RangeCondition } from "./key-condition.ts";
import type { Source } from "./source.ts";

/** Returns the storage keys that a key condition selects. */
export function queryRange({ table, index }: Source, condition: KeyCondition): KeyRange {
  const keys = index ?? table;
  let base = regionOf(keys) + partitionOf(keys, condition.partition);
  // In an index each sort key is delimited, because the item's own key follows; in a table it ends the key.
  const bytesOf = (attribute: KeyAttribute, value: WireValue): string => {
    const bytes = keyBytes(attribute.type, contentOf(value) as string);
    return index === undefined ? bytes : delimit(bytes);
  };
  for (const { attribute, value } of condition.equalRange) base += bytesOf(attribute, value);
  if (condition.range === undefined) return { start: base, end: endOf(base, condition, index) };
  return rangeBounds(base, condition.range, index !== undefined, bytesOf);
}

/** Equality on a table's whole key selects one key; otherwise all keys with the prefix. */
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

/** Returns all keys of a table or index, or of one of `total` equal parts of it. */
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

/** Returns the storage key of the entry at which a page ended. */
function positionOf({ table, index }: Source, keys: WireItem): string | undefined {
  return index === undefined ? itemKey(table, keys) : indexKey(table, index, keys);
}

const startKeyInvalid = "The provided starting key is invalid";

/** Checks a starting key from outside: exactly the keys of table and index, of their types. */
export function checkStartKey(source: Source, startKey: unknown): WireItem {
  const { item } = checkItem(startKey);
  checkStartKeyItem(source, item, startKeyInvalid);
  return item;
}

/** The same for a scan, for which AWS also gives the reason, unless it reads an index. */
export function checkScanStartKey(source: Source, item: WireItem): WireItem {
  const reason = source.index === undefined ? ": The provided key element does not match the schema" : "";
  checkStartKeyItem(source, item, `${startKeyInvalid}${reason}`);
  return item;
}

/** Reads the values of the starting key of a scan, which needs no table. */
export function scanStartKeyItem(startKey: unknown): WireItem {
  try {
    return checkItem(startKey).item;
  } catch (error) {
    if (!isDynamoError(error, "ValidationException")) throw error;
    throw invalid(`${startKeyInvalid}: ${error.details.serviceMessage}`);
  }
}

function checkStartKeyItem(source: Source, item: WireItem, mismatch: string): void {
  const { table, index } = source;
  const attributes = new Map<string, KeyAttribute>();
  for (const each of [...table.hash, ...table.range, ...(index?.hash ?? []), ...(index?.range ?? [])]) {
    attributes.set(each.name, each);
  }
  const sortNames = new Set([...table.range, ...(index?.range ?? [])].map(({ name }) => name));
  if (Object.keys(item).length !== attributes.size) throw invalid(mismatch);
  for (const { name, type } of attributes.values()) {
    const value = getOwn(item, name);
    if (value === undefined || tagOf(value) !== type) throw invalid(mismatch);
    if (contentOf(value) === "") {
      throw invalid(
        `${startKeyInvalid}: One or more parameter values are not valid. The AttributeValue for a ` +
          `key attribute cannot contain an empty ${type === "S" ? "string" : "binary"} value. Key: ${name}`,
      );
    }
    checkKeyValueSize(sortNames.has(name) ? "RANGE" : "HASH", value);
  }
}

/**
 * Returns the rest of a range after the entry at which the previous page ended; undefined if that is outside the
 * range.
 */
export function rangeAfter(source: Source, range: KeyRange, startKey: WireItem): KeyRange | undefined {
  const position = positionOf(source, startKey);
  if (position === undefined || position < range.start || position >= range.end) return undefined;
  return range.reverse ? { ...range, end: position } : { ...range, start: keyAfter(position) };
}
