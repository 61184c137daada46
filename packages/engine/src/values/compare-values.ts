import { compareNumbers } from "@tablekeep/core";
import { utf8Bytes } from "./key-bytes.ts";
import { contentOf, getOwn, tagOf, type WireItem, type WireValue } from "./wire-value.ts";

/**
 * Returns whether two values are equal in DynamoDB: by type and content, sets in any order. Numbers are in normal
 * form.
 */
export function equalValues(left: WireValue, right: WireValue): boolean {
  const tag = tagOf(left);
  if (tag !== tagOf(right)) return false;
  const a = contentOf(left);
  const b = contentOf(right);
  switch (tag) {
    case "L":
      return equalLists(a as WireValue[], b as WireValue[]);
    case "M":
      return equalItems(a as WireItem, b as WireItem);
    case "SS":
    case "NS":
    case "BS":
      return equalSets(a as string[], b as string[]);
    default:
      return a === b;
  }
}

/** Returns whether two items, or nested maps, are equal. */
export function equalItems(left: WireItem, right: WireItem): boolean {
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => {
    const other = getOwn(right, name);
    return other !== undefined && equalValues(left[name] as WireValue, other);
  });
}

function equalLists(left: readonly WireValue[], right: readonly WireValue[]): boolean {
  return (
    left.length === right.length && left.every((value, at) => equalValues(value, right[at] as WireValue))
  );
}

function equalSets(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false;
  const members = new Set(left);
  return right.every((member) => members.has(member));
}

/**
 * Compares two values of one ordered type: strings by UTF-8 bytes, numbers by value, bytes unsigned. Returns
 * undefined for others.
 */
export function compareValues(left: WireValue, right: WireValue): number | undefined {
  if ("N" in left && "N" in right) return compareNumbers(left.N, right.N);
  if ("S" in left && "S" in right) return compareBytes(utf8Bytes(left.S), utf8Bytes(right.S));
  if ("B" in left && "B" in right) return compareBytes(bytesOf(left.B), bytesOf(right.B));
  return undefined;
}

function bytesOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

function compareBytes(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
