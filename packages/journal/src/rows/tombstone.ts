import type { Item } from "@tablekeep/core";
import type { TombstoneRow } from "./event-row.ts";
import { type RowKey, wholeNumber } from "./row-attributes.ts";

/** The attribute that marks a tombstone, and the one by which DynamoDB removes it. */
export const tombstoneNames = {
  mark: "tomb",
  expiry: "ttl",
  commitOf: "first",
  last: "last",
  into: "into",
} as const;

/** The attributes of a tombstone beside its key: it has no payload. */
export function encodeTombstone({
  writeId,
  expiresAt,
  commitOf,
  last,
  into,
}: Pick<TombstoneRow, "writeId" | "expiresAt" | "commitOf" | "last" | "into">): Item {
  return {
    [tombstoneNames.mark]: { BOOL: true },
    ...(writeId !== undefined && { wid: { S: writeId } }),
    ...(expiresAt !== undefined && { [tombstoneNames.expiry]: { N: String(expiresAt) } }),
    ...(commitOf !== undefined && { [tombstoneNames.commitOf]: { N: String(commitOf) } }),
    ...(last !== undefined && { [tombstoneNames.last]: { N: String(last) } }),
    ...(into !== undefined && { [tombstoneNames.into]: { N: String(into) } }),
  };
}

/** Reads a tombstone; undefined for any other item. */
export function decodeTombstone(item: Item, key: RowKey): TombstoneRow | undefined {
  if (item[tombstoneNames.mark]?.BOOL !== true) return undefined;
  const writeId = item["wid"]?.S;
  const expiresAt = wholeNumber(item, tombstoneNames.expiry, key);
  const commitOf = wholeNumber(item, tombstoneNames.commitOf, key);
  const last = wholeNumber(item, tombstoneNames.last, key);
  const into = wholeNumber(item, tombstoneNames.into, key);
  return {
    kind: "tombstone",
    sequenceNr: key.sequenceNr,
    ...(writeId !== undefined && { writeId }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(commitOf !== undefined && { commitOf }),
    ...(last !== undefined && { last }),
    ...(into !== undefined && { into }),
  };
}
