import type { Delete, Item, Put, TransactWriteItem } from "@tablekeep/core";
import { keptAttribute } from "./history-row.ts";
import { memoryKey, type RowId, rowKey } from "./row-keys.ts";
import { expiryAttribute, type RowContent } from "./stored-row.ts";

/** The remembered version of a deleted item. */
export interface VersionMemory {
  /** As stored, because other programs may have written an invalid one. */
  readonly version: string;
  /** Whether it is too old to count. */
  readonly expired: boolean;
}

/** The item of a shadow that is created at `version`. */
export function newRow(row: RowContent, version: number): Item {
  return { ...rowKey(row), Version: { N: String(version) }, ...row.attributes };
}

/** The first version of a created item. */
export function firstVersion(memory: VersionMemory | undefined): number {
  return memory === undefined || memory.expired ? 1 : Math.floor(Number(memory.version)) + 1;
}

/** Creates an item that must not exist. With `kept`, its first version is that one, and it has a history. */
export function createRow(
  table: string,
  row: RowContent,
  memory: VersionMemory | undefined,
  kept?: number,
): Put {
  const item = newRow(row, kept ?? firstVersion(memory));
  return {
    TableName: table,
    Item: kept === undefined ? item : { ...item, [keptAttribute]: { N: String(kept) } },
    ConditionExpression: "attribute_not_exists(PK)",
  };
}

/** Part of a creation: requires that no deleted version is remembered, or only the known one, which is removed. */
export function settleMemory(
  table: string,
  row: RowId,
  memory: VersionMemory | undefined,
): TransactWriteItem {
  const place = {
    TableName: table,
    Key: memoryKey(row),
    ExpressionAttributeNames: { "#Version": "Version" },
  };
  if (memory === undefined)
    return { ConditionCheck: { ...place, ConditionExpression: "attribute_not_exists(#Version)" } };
  return {
    Delete: {
      ...place,
      ConditionExpression: "#Version = :known",
      ExpressionAttributeValues: { ":known": { N: memory.version } },
    },
  };
}

/** Part of a creation: requires that the shadow does not exist in the other model. */
export function requireAbsent(table: string, row: RowId): TransactWriteItem {
  return {
    ConditionCheck: {
      TableName: table,
      Key: rowKey(row),
      ConditionExpression: "attribute_not_exists(PK)",
    },
  };
}

/** Deletes an item of this version, which it may spell in another case. */
export function deleteRow(table: string, row: RowId, version: string, versionName: string): Delete {
  return {
    TableName: table,
    Key: rowKey(row),
    ConditionExpression: "#Version = :expected",
    ExpressionAttributeNames: { "#Version": versionName },
    ExpressionAttributeValues: { ":expected": { N: version } },
  };
}

/** The version of a deleted item that is to be remembered. */
export interface RememberedVersion {
  readonly version: string;
  /** A higher version that is remembered already, and is kept. @default none is known */
  readonly higher?: string;
  /** The present second since 1970. */
  readonly now: number;
  /** The second until which the version is remembered. */
  readonly expiresAt: number;
}

/**
 * Remembers the version of a deleted item. A higher version that is still remembered is never replaced: a writer that
 * ignores remembered versions may have created the item again from version 1. The write fails then, and is sent again with that
 * version as `higher`, which is kept.
 */
export function rememberVersion(
  table: string,
  row: RowId,
  { version, higher, now, expiresAt }: RememberedVersion,
): Put {
  const ExpressionAttributeNames = { "#Version": "Version" };
  const Item = {
    ...memoryKey(row),
    Version: { N: higher ?? version },
    [expiryAttribute]: { N: String(expiresAt) },
  };
  if (higher !== undefined)
    return {
      TableName: table,
      Item,
      ConditionExpression: "#Version = :higher",
      ExpressionAttributeNames,
      ExpressionAttributeValues: { ":higher": { N: higher } },
    };
  return {
    TableName: table,
    Item,
    ConditionExpression: `attribute_not_exists(#Version) OR #Version <= :version OR ${expiryAttribute} <= :now`,
    ExpressionAttributeNames,
    ExpressionAttributeValues: { ":version": { N: version }, ":now": { N: String(now) } },
  };
}
