import type { Item, Key } from "@tablekeep/core";
import type { RowKind } from "../model/shadow-error.ts";

/** Identifies a shadow. */
export interface ShadowId {
  /** The thing. */
  readonly id: string;
  /** The shadow's name; "" for the classic, unnamed shadow. */
  readonly name: string;
}

/** The identity of an item: a shadow, and which part of it the item holds. */
export interface RowId extends ShadowId {
  readonly kind: RowKind;
}

const partition = "DS#";
/** The prefixes of the sort keys of items. */
export const rowPrefixes: Readonly<Record<RowKind, string>> = {
  combined: "DSC#",
  desired: "DSD#",
  reported: "DSR#",
};
/** The original's readers and lists skip this prefix. */
const memoryPrefixes: Readonly<Record<RowKind, string>> = {
  combined: "DST#C#",
  desired: "DST#D#",
  reported: "DST#R#",
};

/** The partition of a thing. */
export function partitionOf(id: string): string {
  return partition + id;
}

/** The key of an item, in the original's form. */
export function rowKey({ kind, id, name }: RowId): Key {
  return { PK: { S: partition + id }, SK: { S: rowPrefixes[kind] + name } };
}

/** The key of the item that remembers the version of a deleted one. */
export function memoryKey({ kind, id, name }: RowId): Key {
  return { PK: { S: partition + id }, SK: { S: memoryPrefixes[kind] + name } };
}

/** The kind of an item, by its key; undefined for items of other programs. */
export function rowIdOf(item: Item): RowId | undefined {
  return idIn(item, rowPrefixes);
}

/** The item to which a remembered version belongs; undefined for other items. */
export function memoryIdOf(item: Item): RowId | undefined {
  return idIn(item, memoryPrefixes);
}

function idIn(item: Item, prefixes: Readonly<Record<RowKind, string>>): RowId | undefined {
  const [pk, sk] = [item["PK"]?.S, item["SK"]?.S];
  if (pk === undefined || sk === undefined || !pk.startsWith(partition)) return undefined;
  for (const kind of ["combined", "desired", "reported"] as const) {
    const prefix = prefixes[kind];
    if (sk.startsWith(prefix)) return { kind, id: pk.slice(partition.length), name: sk.slice(prefix.length) };
  }
  return undefined;
}

/** A unique string for each item; ids and names may contain any character. */
export function rowText({ kind, id, name }: RowId): string {
  return JSON.stringify([kind, id, name]);
}

/** A unique string for each shadow. */
export function shadowText({ id, name }: ShadowId): string {
  return JSON.stringify([id, name]);
}
