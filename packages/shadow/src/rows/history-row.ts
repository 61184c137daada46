import type { Item, Key, Put } from "@tablekeep/core";
import { type RowId, type ShadowId, shadowText } from "./row-keys.ts";
import { attributeOf, expiryAttribute, type RowContent, readRow, type StoredRow } from "./stored-row.ts";

/** The attribute of a shadow's item that has the version of its newest history entry. Writers without history leave it behind. */
export const keptAttribute = "Kept";
/** The names of the history table's key attributes. */
export const historyKeyNames = ["Shadow", "Entry"] as const;

/** One entry of a history: a version that was stored, or its deletion. */
export interface HistoryRow {
  /** The sort key: versions in their order, a deletion after the version that it deleted. */
  readonly entry: string;
  readonly version: number;
  /** The version that it replaced or deleted; 0 for a shadow that was created, -1 if others may have written it without history. */
  readonly previous: number;
  /** Nanoseconds since 1970. */
  readonly timeStamp: bigint;
  /** The shadow as it was stored; undefined for a deletion. */
  readonly row?: StoredRow;
}

/** The sort key of a version, or of its deletion. */
export function entryKey(version: number, isDeletion = false): string {
  return `${String(version).padStart(16, "0")}${isDeletion ? "x" : ""}`;
}

/** The version of a sort key. */
export function entryVersion(entry: string): number {
  return Number(entry.slice(0, 16));
}

/** The key of an entry. */
export function historyKey(shadow: ShadowId, entry: string): Key {
  return { Shadow: { S: shadowText(shadow) }, Entry: { S: entry } };
}

/** The attributes of an entry in addition to the document. */
export interface NewEntry {
  readonly version: number;
  readonly previous: number;
  /** Seconds since 1970. @default never */
  readonly expiresAt?: number;
}

function common({ previous, expiresAt }: NewEntry): Item {
  return {
    Previous: { N: String(previous) },
    ...(expiresAt !== undefined && { [expiryAttribute]: { N: String(expiresAt) } }),
  };
}

/** The entry of a new version. */
export function versionEntry(row: RowContent, entry: NewEntry): Item {
  return { ...historyKey(row, entryKey(entry.version)), ...row.attributes, ...common(entry) };
}

/** The entry of a deletion. */
export function deletionEntry(row: RowId, timeStamp: bigint, entry: NewEntry): Item {
  return {
    ...historyKey(row, entryKey(entry.version, true)),
    TimeStamp: { N: String(timeStamp) },
    ...common(entry),
  };
}

/** Adds an entry. A version never has two: an existing entry is not replaced. */
export function putEntry(table: string, item: Item): Put {
  return { TableName: table, Item: item, ConditionExpression: "attribute_not_exists(Entry)" };
}

/** Reads an entry; undefined for one that has expired, or is not an entry. */
export function readEntry(shadow: ShadowId, item: Item, nowMs: number): HistoryRow | undefined {
  const entry = item["Entry"]?.S ?? "";
  if (!/^\d{16}x?$/.test(entry)) return undefined;
  const expiresAt = Number(item[expiryAttribute]?.N ?? Number.POSITIVE_INFINITY);
  if (expiresAt * 1000 <= nowMs) return undefined;
  const version = entryVersion(entry);
  const shared = {
    entry,
    version,
    previous: Number(item["Previous"]?.N ?? 0),
    timeStamp: BigInt(attributeOf(item, "TimeStamp")?.N ?? "0"),
  };
  if (entry.endsWith("x")) return shared;
  const asRow = { ...item, PK: { S: `DS#${shadow.id}` }, SK: { S: `DSC#${shadow.name}` } };
  return { ...shared, row: readRow({ ...asRow, Version: { N: String(version) } }) };
}
