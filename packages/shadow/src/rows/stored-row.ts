import type { AttributeValue, Item } from "@tablekeep/core";
import { fromAttribute, toAttribute } from "../document/document-attributes.ts";
import type { DocumentValue } from "../document/document-value.ts";
import type { MetadataObject } from "../merge/metadata.ts";
import { ShadowError } from "../model/shadow-error.ts";
import { type RowId, rowIdOf, type ShadowId } from "./row-keys.ts";

/** A parsed item of the table. */
export interface StoredRow extends RowId {
  readonly version: number;
  /** Nanoseconds since 1970. */
  readonly timeStamp: bigint;
  readonly clientToken: string;
  /** Null if the item has NULL. */
  readonly reported: DocumentValue;
  /** Null if the item has NULL. */
  readonly desired: DocumentValue;
  /** When the values were set, if known: the original does not store it. */
  readonly metadata: RowMetadata;
}

/** The metadata of the halves that an item holds. */
export interface RowMetadata {
  readonly reported?: MetadataObject;
  readonly desired?: MetadataObject;
}

/** An attribute by its name, or else by its name in any case, as Go's decoder finds it. */
export function attributeOf(item: Item, name: string): AttributeValue | undefined {
  return item[name] ?? item[nameIn(item, name)];
}

/** How an item spells the name of an attribute. */
export function nameIn(item: Item, name: string): string {
  if (item[name] !== undefined) return name;
  const lower = name.toLowerCase();
  return Object.keys(item).find((each) => each.toLowerCase() === lower) ?? name;
}

/** The attributes of an item with a shadow's attribute names in another case. */
export function miscasedNames(item: Item): string[] {
  const names = ["Version", "TimeStamp", "ClientToken", "Desired", "Reported"];
  return names.flatMap((name) => {
    const found = nameIn(item, name);
    return found === name ? [] : [found];
  });
}

/** Reads an item. Throws `SHADOW_ITEM_CORRUPT` if the item is not a shadow's. */
export function readRow(item: Item): StoredRow {
  const id = rowIdOf(item);
  if (id === undefined) throw new TypeError("the key of the item is not a shadow's");
  const decoded = (name: string) => {
    const value = attributeOf(item, name);
    return value === undefined ? null : fromAttribute(value);
  };
  return {
    ...id,
    version: versionOf(item, id),
    timeStamp: timeStampOf(item, id),
    clientToken: attributeOf(item, "ClientToken")?.S ?? "",
    reported: decoded("Reported"),
    desired: decoded("Desired"),
    metadata: metadataOf(item),
  };
}

/** The version of an item as stored: other programs may have written an invalid one. */
export function versionTextOf(item: Item, id: RowId): string {
  const text = attributeOf(item, "Version")?.N;
  if (text === undefined) throw corrupt(id, "Version", "is not a number");
  return text;
}

/** The version of an item. */
export function versionOf(item: Item, id: RowId): number {
  const text = versionTextOf(item, id);
  const version = Number(text);
  if (!Number.isInteger(version) || version < 0)
    throw corrupt(id, "Version", "is not an integer of at least 0");
  if (Number.isSafeInteger(version)) return version;
  throw versionUnsafe(id, text);
}

/** No version follows this one: a JavaScript number would not hold it exactly. */
export const lastVersion: number = Number.MAX_SAFE_INTEGER;

/** The error for the last possible version, or one beyond it. */
export function versionUnsafe({ id, name }: ShadowId, version: string): ShadowError {
  return new ShadowError(
    "SHADOW_VERSION_UNSAFE",
    `the version of shadow "${name}" of ${id} is ${version}; the highest version is 2^53 - 1: delete the shadow, and create it again when its version is no longer remembered`,
    { id, name, version },
  );
}

function timeStampOf(item: Item, id: RowId): bigint {
  const text = attributeOf(item, "TimeStamp")?.N;
  if (text === undefined) return 0n;
  if (/^-?\d+$/.test(text)) return BigInt(text);
  throw corrupt(id, "TimeStamp", "is not an integer");
}

/** Unreadable metadata is ignored: it only contains times. */
function metadataOf(item: Item): RowMetadata {
  const text = item["Metadata"]?.S;
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as RowMetadata;
  } catch {
    return {};
  }
}

function corrupt(id: RowId, attribute: string, reason: string): ShadowError {
  return new ShadowError(
    "SHADOW_ITEM_CORRUPT",
    `attribute ${attribute} of shadow "${id.name}" of ${id.id} ${reason}: repair or delete the item`,
    { id: id.id, name: id.name, attribute, reason },
  );
}

/** The attribute that holds the id of the write that an item shows. */
export const writeIdAttribute = "WriteId";
/** The attribute by which the memory of a deleted version expires: seconds since 1970. */
export const expiryAttribute = "ExpiresAt";

/** The contents of one item of a write. */
export interface RowValues {
  readonly reported: DocumentValue;
  readonly desired: DocumentValue;
  readonly clientToken: string;
  /** Nanoseconds since 1970. */
  readonly timeStamp: bigint;
  readonly metadata?: RowMetadata;
}

/** An item to write: its place, and all its attributes besides key, version and write id. */
export interface RowContent extends RowId {
  readonly attributes: Item;
}

/** The item to write: the original's attributes, and ours. */
export function rowContent({ kind, id, name }: RowId, values: RowValues): RowContent {
  const { reported, desired, clientToken, timeStamp, metadata } = values;
  const attributes: Item = {
    TimeStamp: { N: String(timeStamp) },
    ClientToken: { S: clientToken },
    Desired: toAttribute(desired),
    Reported: toAttribute(reported),
  };
  if (metadata !== undefined) attributes["Metadata"] = { S: JSON.stringify(metadata) };
  return { kind, id, name, attributes };
}
