import type { Delete, Item, Put, TransactWriteItem, Update } from "@tablekeep/core";
import { keptAttribute } from "./history-row.ts";
import { memoryKey, type RowId, rowKey } from "./row-keys.ts";
import { expiryAttribute, type RowContent } from "./stored-row.ts";

/** No version follows this one: a JavaScript number would not hold it exactly. */
export const lastVersion: number = Number.MAX_SAFE_INTEGER;

/** The remembered version of a deleted item. */
export interface VersionMemory {
  /** As stored, because other programs may have written an invalid one. */
  readonly version: string;
  /** Whether it is too old to count. */
  readonly expired: boolean;
}

/** How an update continues the history of its shadow. */
export interface KeptUpdate {
  /** The new version. */
  readonly to: number;
  /** Whether the stored version must be the newest of the history, so that no version was written without history since. */
  readonly continues: boolean;
}

/**
 * The update of an existing item: to the version after `expected`, or to its next version. Attributes
 * in `odd` are a shadow's in another case: they are replaced by the ones with the right names. With `replaced`, only if the item
 * has these attributes.
 */
export function updateRow(
  table: string,
  row: RowContent,
  expected: number | undefined,
  odd: readonly string[] = [],
  kept?: KeptUpdate,
  replaced: Item = {},
): Update {
  const attributes: Item = {
    ...row.attributes,
    ...(kept !== undefined && { [keptAttribute]: { N: String(kept.to) } }),
  };
  const names = Object.keys(attributes);
  const shape = {
    names,
    odd,
    isAnyVersion: expected === undefined,
    continues: kept?.continues === true,
    replaced: Object.keys(replaced),
  };
  const values: Item =
    expected === undefined
      ? { ":one": { N: "1" }, ":last": { N: String(lastVersion) } }
      : { ":next": { N: String(kept?.to ?? expected + 1) }, ":expected": { N: String(expected) } };
  for (const name of names) values[`:${name}`] = attributes[name] as Item[string];
  for (const name of shape.replaced) values[`:old${name}`] = replaced[name] as Item[string];
  return {
    TableName: table,
    Key: rowKey(row),
    ...(odd.length === 0 ? knownExpressions(shape) : expressionsOf(shape)),
    ExpressionAttributeValues: values,
  };
}

/** The parameters of the expressions of an update. */
interface UpdateShape {
  readonly names: readonly string[];
  readonly odd: readonly string[];
  readonly isAnyVersion: boolean;
  readonly continues: boolean;
  readonly replaced: readonly string[];
}

type UpdateExpressions = Required<
  Pick<Update, "UpdateExpression" | "ConditionExpression" | "ExpressionAttributeNames">
>;

/** The expressions of updates of items with the usual names: there are few. */
const known: (UpdateExpressions | undefined)[] = [];

/** The same as {@link expressionsOf} for items without odd names. Only two of the usual names may be missing. */
function knownExpressions(shape: UpdateShape): UpdateExpressions {
  const { names, isAnyVersion, continues, replaced } = shape;
  const flags = [
    names.includes("Metadata"),
    names.includes(keptAttribute),
    isAnyVersion,
    continues,
    replaced.length > 0,
  ];
  const key = flags.reduce((bits, flag) => bits * 2 + Number(flag), 0);
  known[key] ??= expressionsOf(shape);
  return known[key];
}

/** Names that need no placeholder in expressions, because DynamoDB checks each placeholder. `TimeStamp` is a reserved word. */
const plainNames: ReadonlySet<string> = new Set([
  "Version",
  "ClientToken",
  "Desired",
  "Reported",
  "Metadata",
  keptAttribute,
]);

function expressionsOf({ names, odd, isAnyVersion, continues, replaced }: UpdateShape): UpdateExpressions {
  const placeholders: Record<string, string> = {};
  const named = (name: string) => {
    if (plainNames.has(name)) return name;
    placeholders[`#${name}`] = name;
    return `#${name}`;
  };
  const sets = names.map((name) => `${named(name)} = :${name}`);
  const old = named(odd.find((name) => name.toLowerCase() === "version") ?? "Version");
  const next = isAnyVersion ? `${old} + :one` : ":next";
  // Metadata of removed values would be wrong.
  const removed = names.includes("Metadata") ? odd : ["Metadata", ...odd];
  const remove = removed.length === 0 ? "" : ` REMOVE ${removed.map(named).join(", ")}`;
  const conditions = [
    isAnyVersion ? `${old} < :last` : `${old} = :expected`,
    ...(continues ? [`${keptAttribute} = :expected`] : []),
    ...replaced.map((name) => `${named(name)} = :old${name}`),
  ];
  return {
    UpdateExpression: `SET Version = ${next}, ${sets.join(", ")}${remove}`,
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: placeholders,
  };
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

/** How long a version is remembered: from now on, until a second since 1970. */
export interface MemoryTime {
  readonly now: number;
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
  version: string,
  { now, expiresAt }: MemoryTime,
  higher?: string,
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
