import { type ReadMode, readUnits, type Select } from "@tablekeep/core";
import { ItemAnswer } from "../answer/item-answer.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database/database.ts";
import { project } from "../expression/project.ts";
import type { ProjectedPaths } from "../expression/syntax-tree.ts";
import type { StorageKey } from "../storage/storage.ts";
import { invalidParameter } from "../values/dynamo-errors.ts";
import { StoredItem } from "../values/stored-item.ts";
import type { WireItem } from "../values/wire-value.ts";
import type { Source } from "./source.ts";

/** Returns the committed item of a key, if its partition admits the read. */
export function readItem(
  database: Database,
  table: TableModel,
  key: WireItem,
  mode: ReadMode,
): StoredItem | undefined {
  const at = itemKey(table, key);
  const { partitions } = database.service;
  partitions?.admit("read", { table, at });
  const stored = readItemAt(database, at);
  partitions?.spend("read", { table, at }, readUnits(stored?.size ?? 0, mode));
  return stored;
}

/** Returns the committed item at a storage key. */
export function readItemAt(database: Database, at: StorageKey): StoredItem | undefined {
  const text = database.storage.get(at);
  return text === undefined ? undefined : new StoredItem(text);
}

/** Returns the response for a stored item, or for its projected attributes. */
export function itemAnswer(stored: StoredItem, projection: ProjectedPaths | undefined): ItemAnswer {
  return projection === undefined
    ? ItemAnswer.ofStored(stored)
    : ItemAnswer.ofItem(project(projection, stored.item));
}

/** Returns a function that fetches the whole item of an index entry, if the index lacks something requested. */
export function itemFetcher(
  database: Database,
  source: Source,
  select: Select | undefined,
  projection: ProjectedPaths | undefined,
): ((entry: StoredItem) => StoredItem) | undefined {
  if (!needsWholeItems(source, select, projection)) return undefined;
  return (entry) => readItemAt(database, itemKey(source.table, entry.item)) ?? entry;
}

/** Returns whether the index lacks something requested. Only a local index can fetch it from the table. */
function needsWholeItems(
  { index }: Source,
  select: Select | undefined,
  projection: ProjectedPaths | undefined,
): boolean {
  if (index === undefined || index.projected === "ALL" || select === "COUNT") return false;
  const { projected } = index;
  if (select === "ALL_ATTRIBUTES") {
    if (index.kind === "local") return true;
    throw invalidParameter(
      `Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.name} because its projection type is not ALL`,
    );
  }
  const missing = [...new Set((projection ?? []).map(([name]) => name))].filter(
    (name) => !projected.has(name),
  );
  if (missing.length === 0) return false;
  if (index.kind === "local") return true;
  throw invalidParameter(`Global secondary index ${index.name} does not project [${missing.join(", ")}]`);
}
