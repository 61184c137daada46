import { type AttributeValue, canonicalNumber, type Item, type Key, type OptionCheck } from "@tablekeep/core";

/** The names of a table's key attributes: the partition key and, where there is one, the sort key. */
export type KeyNames = readonly [partitionKey: string, sortKey?: string];

/** For options: key names by table. */
export const keyNamesByTable: OptionCheck = (value) =>
  typeof value === "object" && value !== null && Object.values(value).every(isKeyNames)
    ? undefined
    : "must map each table to an array of one or two key attributes";

/** For options: key names. */
export const keyNamesCheck: OptionCheck = (value) =>
  isKeyNames(value) ? undefined : "must be an array of one or two key attributes";

function isKeyNames(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= 2 && typeof value[0] === "string";
}

/** The key of an item. */
export function keyOf(item: Item, names: readonly (string | undefined)[]): Key {
  const key: Key = {};
  for (const name of names) {
    const value = name === undefined ? undefined : item[name];
    if (name !== undefined && value !== undefined) key[name] = value;
  }
  return key;
}

/** Returns a string that identifies an item of a table. `names` are its key attributes, if the item has others too. */
export function itemId(table: string, item: Item, names?: readonly string[]): string {
  return `${table} ${keyText(item, names)}`;
}

/** Returns a string that identifies a key, independent of the order of its attributes and of how numbers are written. */
export function keyText(key: Item, names: readonly string[] = Object.keys(key)): string {
  // Lengths mark where a name and a value end, whatever they contain.
  let text = "";
  for (const name of inOrder(names)) {
    const value = valueText(key[name]);
    text += `${name.length}:${name}${value.length}:${value}`;
  }
  return text;
}

/** A key has one name or two. */
function inOrder(names: readonly string[]): readonly string[] {
  const [first, second] = names;
  if (first === undefined || second === undefined) return names;
  if (names.length > 2) return names.toSorted();
  return first < second ? names : [second, first];
}

function valueText(value: AttributeValue | undefined): string {
  if (value?.S !== undefined) return `S${value.S}`;
  if (value?.N !== undefined) return `N${canonicalNumber(value.N)}`;
  if (value?.B !== undefined) return `B${Buffer.from(value.B).toString("base64")}`;
  return "";
}
