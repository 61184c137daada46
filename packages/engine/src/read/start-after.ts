import { checkKeyValueSize } from "../catalog/check-keys.ts";
import type { KeyAttribute } from "../catalog/table-model.ts";
import { checkItem } from "../item/check-item.ts";
import { invalid } from "../item/refuse.ts";
import { contentOf, getOwn, tagOf, type WireItem } from "../item/wire-value.ts";
import { type KeyRange, keyAfter } from "../storage/storage.ts";
import { positionOf, type Source } from "./key-range.ts";

/** A page's starting key that came from outside: exactly the keys of table and index, of their types. */
export function checkStartKey(source: Source, startKey: unknown): WireItem {
  const { item } = checkItem(startKey);
  const { table, index } = source;
  const attributes = new Map<string, KeyAttribute>();
  for (const each of [...table.hash, ...table.range, ...(index?.hash ?? []), ...(index?.range ?? [])]) {
    attributes.set(each.name, each);
  }
  const sortNames = new Set([...table.range, ...(index?.range ?? [])].map(({ name }) => name));
  if (Object.keys(item).length !== attributes.size) throw invalid("The provided starting key is invalid");
  for (const { name, type } of attributes.values()) {
    const value = getOwn(item, name);
    if (value === undefined || tagOf(value) !== type) throw invalid("The provided starting key is invalid");
    if (contentOf(value) === "") {
      throw invalid(
        "The provided starting key is invalid: One or more parameter values are not valid. The AttributeValue for a " +
          `key attribute cannot contain an empty ${type === "S" ? "string" : "binary"} value. Key: ${name}`,
      );
    }
    checkKeyValueSize(sortNames.has(name) ? "RANGE" : "HASH", value);
  }
  return item;
}

/** What is left of a range after the entry that the page before ended with; undefined if that lies outside it. */
export function rangeAfter(source: Source, range: KeyRange, startKey: WireItem): KeyRange | undefined {
  const position = positionOf(source, startKey);
  if (position === undefined || position < range.start || position >= range.end) return undefined;
  return range.reverse ? { ...range, end: position } : { ...range, start: keyAfter(position) };
}
