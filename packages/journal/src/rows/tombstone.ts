import type { Item } from "@tablekeep/core";
import type { TombstoneRow } from "./event-row.ts";
import { type RowKey, wholeNumber } from "./row-attributes.ts";

/** The attribute that marks a tombstone, and the one by which DynamoDB removes it. */
export const tombstoneNames = { mark: "tomb", expiry: "ttl", commitOf: "first" } as const;

/** The attributes of a tombstone beside its key: it has no payload. */
export function encodeTombstone({
  writeId,
  expiresAt,
  commitOf,
}: Pick<TombstoneRow, "writeId" | "expiresAt" | "commitOf">): Item {
  return {
    [tombstoneNames.mark]: { BOOL: true },
    ...(writeId !== undefined && { wid: { S: writeId } }),
    ...(expiresAt !== undefined && { [tombstoneNames.expiry]: { N: String(expiresAt) } }),
    ...(commitOf !== undefined && { [tombstoneNames.commitOf]: { N: String(commitOf) } }),
  };
}

/** Reads a tombstone; undefined for any other item. */
export function decodeTombstone(item: Item, key: RowKey): TombstoneRow | undefined {
  if (item[tombstoneNames.mark]?.BOOL !== true) return undefined;
  const writeId = item["wid"]?.S;
  const expiresAt = wholeNumber(item, tombstoneNames.expiry, key);
  const commitOf = wholeNumber(item, tombstoneNames.commitOf, key);
  return {
    kind: "tombstone",
    sequenceNr: key.sequenceNr,
    ...(writeId !== undefined && { writeId }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(commitOf !== undefined && { commitOf }),
  };
}
