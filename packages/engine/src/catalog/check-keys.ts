import { checkItem } from "../values/check-item.ts";
import { invalid, invalidParameter, invalidRequest } from "../values/dynamo-errors.ts";
import { contentOf, getOwn, tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";
import { aggregateSize, keySize, maxHashBytes, maxRangeBytes } from "./key-limits.ts";
import type { IndexModel, KeyAttribute, TableModel } from "./table-model.ts";

/** Checks a primary key from outside: exactly the key attributes, of their types, neither empty nor too long. */
export function checkKey(table: TableModel, key: unknown): WireItem {
  return checkKeySchema(table, checkItem(key).item);
}

/** Checks a key whose values are valid already. */
export function checkKeySchema(table: TableModel, item: WireItem): WireItem {
  const names = Object.keys(item);
  if (names.length !== table.keyNames.length || !hasKeys(table, item)) throw keyMismatch();
  checkKeySizes(table, item);
  return item;
}

/** Checks the keys of an item in a batch, for which DynamoDB reports less than for PutItem. */
export function checkBatchedItemKeys(table: TableModel, item: WireItem): void {
  if (!hasKeys(table, item)) throw keyMismatch();
  checkItemKeys(table, item);
}

function hasKeys(table: TableModel, item: WireItem): boolean {
  for (const { name, type } of table.keys) {
    const value = getOwn(item, name);
    if (value === undefined || tagOf(value) !== type) return false;
  }
  return true;
}

function keyMismatch(): Error {
  return invalid("The provided key element does not match the schema");
}

/** Checks the keys of a whole item: of the table, and of every index whose attributes it has. */
export function checkItemKeys(table: TableModel, item: WireItem): void {
  for (const { name, type } of table.keys) {
    const value = getOwn(item, name);
    if (value === undefined) throw invalidParameter(`Missing the key ${name} in the item`);
    if (tagOf(value) !== type) {
      throw invalidParameter(`Type mismatch for key ${name} expected: ${type} actual: ${tagOf(value)}`);
    }
  }
  checkKeySizes(table, item);
  checkIndexKeys(table, item);
}

/**
 * Checks the index keys that an item has; a missing one only keeps it out of that index. Of several indexes with the
 * same key DynamoDB reports the first by name; it reports an empty key before one of another type, and that before a
 * long one.
 */
export function checkIndexKeys(table: TableModel, item: WireItem): void {
  if (table.indexes.length === 0) return;
  const indexes = byName(table.indexes);
  let mismatch: Error | undefined;
  for (const index of indexes) {
    for (const attribute of index.keys) mismatch ??= indexKeyError(index, attribute, item);
  }
  if (mismatch !== undefined) {
    checkIndexKeysNotEmpty(table, item);
    throw mismatch;
  }
  for (const index of indexes) {
    checkIndexKeySize(index, "HASH", item);
    checkIndexKeySize(index, "RANGE", item);
  }
}

function byName(indexes: readonly IndexModel[]): readonly IndexModel[] {
  return indexes.length < 2 ? indexes : indexes.toSorted((one, two) => (one.name < two.name ? -1 : 1));
}

/** Returns the error for an index key that an item has, except for its size. */
function indexKeyError(index: IndexModel, { name, type }: KeyAttribute, item: WireItem): Error | undefined {
  const value = getOwn(item, name);
  if (value === undefined) return undefined;
  const actual = tagOf(value);
  if (actual === type) return contentOf(value) === "" ? emptyIndexKeyError(index, { name, type }) : undefined;
  return invalidParameter(
    `Type mismatch for Index Key ${name} Expected: ${type} Actual: ${actual} IndexName: ${index.name}`,
  );
}

/** Throws if an index key is present and empty. By default a value of another type counts as no key. */
export function checkIndexKeysNotEmpty(
  table: TableModel,
  item: WireItem,
  { ofAnyType = false }: { readonly ofAnyType?: boolean } = {},
): void {
  for (const index of byName(table.indexes)) {
    for (const { name, type: expected } of index.keys) {
      const value = getOwn(item, name);
      const type = value && tagOf(value);
      if (value === undefined || (type !== expected && !ofAnyType) || (type !== "S" && type !== "B"))
        continue;
      if (contentOf(value) === "") throw emptyIndexKeyError(index, { name, type });
    }
  }
}

/** DynamoDB's error for an empty value of an index key. */
export function emptyIndexKeyError(index: IndexModel, { name, type }: KeyAttribute): Error {
  return invalidRequest(
    "One or more parameter values are not valid. A value specified for a secondary index key is not supported. " +
      `${emptyValueMessage(type)} IndexName: ${index.name}, IndexKey: ${name}`,
  );
}

/** The part of DynamoDB's message that names the type. */
export function emptyValueMessage(type: KeyAttribute["type"]): string {
  const word = type === "S" ? "string" : "binary";
  return `The AttributeValue for a key attribute cannot contain an empty ${word} value.`;
}

function checkIndexKeySize(index: IndexModel, kind: "HASH" | "RANGE", item: WireItem): void {
  const attributes = kind === "HASH" ? index.hash : index.range;
  const limit = kind === "HASH" ? maxHashBytes : maxRangeBytes;
  const bytes = aggregateSize(attributes, item);
  if (bytes <= limit) return;
  if (attributes.length === 1) throw keyTooLong(kind === "HASH");
  throw invalidParameter(
    `Aggregate size for ${kind} key attributes [${attributes.map(({ name }) => name).join(", ")}] of index ` +
      `${index.name} has exceeded limit ${limit} bytes, with actual size ${bytes} bytes`,
  );
}

/** Throws if a key attribute is present, of its type and empty. */
export function checkKeysNotEmpty(table: TableModel, item: WireItem): void {
  for (const { name, type } of table.keys) {
    const value = getOwn(item, name);
    if (value === undefined || tagOf(value) !== type || contentOf(value) !== "") continue;
    throw invalid(
      "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty " +
        `${type === "S" ? "string" : "binary"} value. Key: ${name}`,
    );
  }
}

function checkKeySizes(table: TableModel, item: WireItem): void {
  checkKeysNotEmpty(table, item);
  for (const { name } of table.keys) {
    const bytes = keySize(item[name] as WireValue);
    const isHash = name === table.hash[0].name;
    if (bytes > (isHash ? maxHashBytes : maxRangeBytes)) throw keyTooLong(isHash);
  }
}

/** Throws if a value is too long for a partition or sort key. */
export function checkKeyValueSize(kind: "HASH" | "RANGE", value: WireValue): void {
  const isHash = kind === "HASH";
  if (keySize(value) > (isHash ? maxHashBytes : maxRangeBytes)) throw keyTooLong(isHash);
}

/** DynamoDB's messages; the missing space is theirs. */
function keyTooLong(isHash: boolean): Error {
  return isHash
    ? invalidParameter(`Size of hashkey has exceeded the maximum size limit of${maxHashBytes} bytes`)
    : invalidParameter(
        `Aggregated size of all range keys has exceeded the size limit of ${maxRangeBytes} bytes`,
      );
}
