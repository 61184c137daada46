import type { Select } from "@tablekeep/core";
import { ItemAnswer } from "../answer/item-answer.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Database } from "../database/database.ts";
import { project } from "../expression/project.ts";
import type { Projection } from "../expression/syntax-tree.ts";
import { invalidParameter } from "../values/dynamo-errors.ts";
import { StoredItem } from "../values/stored-item.ts";
import type { WireItem } from "../values/wire-value.ts";
import type { Source } from "./source.ts";

/** The committed item of a key. */
export function storedItem(database: Database, table: TableModel, key: WireItem): StoredItem | undefined {
  const text = database.storage.get(itemKey(table, key));
  return text === undefined ? undefined : new StoredItem(text);
}

/** A stored item, or what a projection keeps of it. */
export function shown(stored: StoredItem, projection: Projection | undefined): ItemAnswer {
  return projection === undefined
    ? ItemAnswer.stored(stored)
    : ItemAnswer.built(project(projection, stored.item));
}

/** Returns the whole item of an index entry, where the index lacks something that is asked for; else undefined. */
export function fetcherFor(
  database: Database,
  source: Source,
  select: Select | undefined,
  projection: Projection | undefined,
): ((entry: StoredItem) => StoredItem) | undefined {
  if (!needsWholeItems(source, select, projection)) return undefined;
  return (entry) => storedItem(database, source.table, entry.item) ?? entry;
}

/** Whether the index lacks something that is asked for. Only a local index can fetch it from the table. */
function needsWholeItems(
  { index }: Source,
  select: Select | undefined,
  projection: Projection | undefined,
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
