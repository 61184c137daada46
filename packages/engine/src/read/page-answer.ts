import type { ReturnConsumedCapacity, Select } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import { Consumption } from "../capacity/consumption.ts";
import { readUnits } from "../capacity/units.ts";
import type { Database } from "../database.ts";
import type { Projection } from "../expression/syntax-tree.ts";
import { invalidParameter } from "../item/refuse.ts";
import type { StoredItem } from "../item/stored-item.ts";
import { shown, storedItem } from "../operations/get-item/get-item.ts";
import type { Source } from "./key-range.ts";
import { type Page, pageKey } from "./read-page.ts";

/** What a query or scan says of the answer it wants. */
export interface PageParameters {
  readonly Select?: Select | undefined;
  readonly ConsistentRead?: boolean | undefined;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

/** Turns a page into the answer of a query or scan. */
export function pageAnswer(
  database: Database,
  source: Source,
  page: Page,
  parameters: PageParameters,
  projection: Projection | undefined,
): Answer {
  const consumption = new Consumption(source.table);
  const mode = parameters.ConsistentRead ? "strong" : "eventual";
  const units = readUnits(page.bytes, mode);
  if (source.index === undefined) consumption.addTable(units);
  else consumption.addIndex(source.index, units);
  const whole = needsWholeItems(source, parameters.Select, projection);
  const items = page.entries.map((entry) => {
    const item = whole ? wholeItem(database, source, entry) : entry;
    // AWS: LSI — each item fetched from the table costs a read of its own.
    if (whole) consumption.addTable(readUnits(item.size, mode));
    return shown(item, projection);
  });
  return {
    Items: parameters.Select === "COUNT" ? undefined : items,
    Count: items.length,
    ScannedCount: page.scanned,
    LastEvaluatedKey: page.stoppedAt && ItemAnswer.built(pageKey(source, page.stoppedAt)),
    ConsumedCapacity: consumption.report(parameters.ReturnConsumedCapacity),
  };
}

/** Whether the index lacks something that is asked for. Only a local index can fetch it from the table. */
export function needsWholeItems(
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

/** The item that an entry of a local index belongs to. */
export function wholeItem(database: Database, { table }: Source, entry: StoredItem): StoredItem {
  return storedItem(database, table, entry.item) ?? entry;
}
