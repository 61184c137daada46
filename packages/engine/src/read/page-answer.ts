import type { ReturnConsumedCapacity, Select } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import { Consumption } from "../capacity/consumption.ts";
import { readUnits } from "../capacity/units.ts";
import type { Database } from "../database.ts";
import type { Condition, Projection } from "../expression/syntax-tree.ts";
import { invalidParameter } from "../item/refuse.ts";
import { shown, storedItem } from "../operations/get-item/get-item.ts";
import type { KeyRange } from "../storage/storage.ts";
import type { Source } from "./key-range.ts";
import { type Page, type PageRead, pageKey, readPage } from "./read-page.ts";

/** What a query or scan says of the answer it wants. */
export interface PageParameters {
  /** `none`: the page ends with the range, whatever the caller's limit or the engine's behaviour. */
  readonly Limit?: number | "none" | undefined;
  readonly Select?: Select | undefined;
  readonly ConsistentRead?: boolean | undefined;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity | undefined;
}

/** Reads one page of a query or scan, and turns it into the answer. */
export function pageAnswer(
  database: Database,
  source: Source,
  range: KeyRange,
  { filter, projection }: { filter: Condition | undefined; projection: Projection | undefined },
  parameters: PageParameters,
): Answer {
  const { Limit, ConsistentRead, Select: select } = parameters;
  const limit = Limit === "none" ? undefined : (database.behaviour?.pageLimit(Limit) ?? Limit);
  const fetch = fetcherFor(database, source, select, projection);
  const page = readPage(database.storage, range, { filter, limit, fetch });
  const consumption = new Consumption(source.table);
  addPage(consumption, source, page, ConsistentRead);
  return {
    Items: select === "COUNT" ? undefined : page.items.map((item) => shown(item, projection)),
    Count: page.items.length,
    ScannedCount: page.scanned,
    LastEvaluatedKey: page.stoppedAt && ItemAnswer.built(pageKey(source, page.stoppedAt)),
    ConsumedCapacity: consumption.report(parameters.ReturnConsumedCapacity),
  };
}

/** Adds what a page cost. */
export function addPage(
  consumption: Consumption,
  { index }: Source,
  page: Page,
  consistent: boolean | undefined,
): void {
  const mode = consistent ? "strong" : "eventual";
  const units = readUnits(page.bytes, mode);
  if (index === undefined) consumption.addTable(units);
  else consumption.addIndex(index, units);
  // AWS: LSI — each item fetched from the table costs a read of its own.
  for (const size of page.fetched) consumption.addTable(readUnits(size, mode));
}

/** Returns the whole item of an index entry, where the index lacks something that is asked for; else undefined. */
export function fetcherFor(
  database: Database,
  source: Source,
  select: Select | undefined,
  projection: Projection | undefined,
): PageRead["fetch"] {
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
