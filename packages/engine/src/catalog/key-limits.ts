import { base64Size } from "@tablekeep/core";
import { contentOf, type WireItem, type WireValue } from "../values/wire-value.ts";
import type { KeyAttribute, KeyModel } from "./table-model.ts";

// AWS: Limits — sizes of keys in bytes. Several attributes of one key are added up.
export const maxHashBytes = 2048;
export const maxRangeBytes = 1024;

/** Returns the bytes of a key attribute's value. Numbers are never empty and never too long. */
export function keySize(value: WireValue): number {
  if ("S" in value) return Buffer.byteLength(value.S);
  if ("B" in value) return base64Size(value.B);
  return String(contentOf(value)).length;
}

/**
 * Returns whether an item's values are valid as the key of an index: none empty, not too long. The item has them all.
 */
export function fitsIndex(index: KeyModel, item: WireItem): boolean {
  return fits(index.hash, item, maxHashBytes) && fits(index.range, item, maxRangeBytes);
}

function fits(attributes: readonly KeyAttribute[], item: WireItem, limit: number): boolean {
  let characters = 0;
  for (const { name } of attributes) {
    const { length } = contentOf(item[name] as WireValue) as string;
    if (length === 0) return false;
    characters += length;
  }
  // A character has at most three bytes, so most keys need not be measured.
  return characters * 3 <= limit || aggregateSize(attributes, item) <= limit;
}

/** Returns the bytes of those attributes that the item has. */
export function aggregateSize(attributes: readonly KeyAttribute[], item: WireItem): number {
  let bytes = 0;
  for (const { name } of attributes) {
    if (Object.hasOwn(item, name)) bytes += keySize(item[name] as WireValue);
  }
  return bytes;
}
