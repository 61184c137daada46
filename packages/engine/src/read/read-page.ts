import { type ReturnConsumedCapacity, readUnits, type Select } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import { Consumption } from "../catalog/consumption.ts";
import type { Database } from "../database/database.ts";
import { evaluate } from "../expression/evaluate.ts";
import type { Condition, ProjectedPaths } from "../expression/syntax-tree.ts";
import type { KeyRange, Storage } from "../storage/storage.ts";
import { StoredItem } from "../values/stored-item.ts";
import { getOwn, setOwn, type WireItem, type WireValue } from "../values/wire-value.ts";
import { pageKeyNames } from "./key-condition.ts";
import { itemAnswer, itemFetcher } from "./read-item.ts";
import type { Source } from "./source.ts";

/** The parameters of a query or scan that shape its answer. */
interface PageParameters {
  /** `none`: the page ends with the range, without any other limit. */
  readonly Limit?: number | "none";
  readonly Select?: Select;
  readonly ConsistentRead?: boolean;
  readonly ReturnConsumedCapacity?: ReturnConsumedCapacity;
}

/** The options of a page: which items of its range it contains, and which attributes. */
interface PageContents {
  readonly filter: Condition | undefined;
  readonly projection: ProjectedPaths | undefined;
  /** A query reads one partition. */
  readonly isQuery?: boolean;
}

/** Reads one page of a query or scan, and returns the answer. */
export function pageAnswer(
  database: Database,
  source: Source,
  range: KeyRange,
  { filter, projection, isQuery = false }: PageContents,
  parameters: PageParameters,
): Answer {
  const { Limit, ConsistentRead, Select: select } = parameters;
  if (isQuery) database.service.partitions?.admit("read", { ...source, at: range.start });
  const limit = Limit === "none" ? undefined : database.service.pageLimit(Limit);
  const fetch = itemFetcher(database, source, select, projection);
  const page = readPage(database.storage, range, { filter, limit, fetch });
  const consumption = new Consumption(source.table, "read");
  addPageCost(consumption, source, page, ConsistentRead);
  // A scan reads many partitions: it is not limited.
  if (isQuery) spendPage(database, source, range, page, ConsistentRead);
  return {
    Items: select === "COUNT" ? undefined : page.items.map((item) => itemAnswer(item, projection)),
    Count: page.items.length,
    ScannedCount: page.scanned,
    LastEvaluatedKey: page.stoppedAt && ItemAnswer.ofItem(pageKey(source, page.stoppedAt)),
    ConsumedCapacity: consumption.finish(parameters.ReturnConsumedCapacity),
  };
}

/** Counts the capacity that a page of one partition consumes. */
export function spendPage(
  database: Database,
  source: Source,
  range: KeyRange,
  page: Page,
  consistent: boolean | undefined,
): void {
  const { partitions } = database.service;
  if (partitions === undefined) return;
  const used = new Consumption(source.table, "read");
  addPageCost(used, source, page, consistent);
  const mode = consistent ? "strong" : "eventual";
  const units = source.index?.kind === "global" ? readUnits(page.bytes, mode) : used.partitionUnits;
  partitions.spend("read", { ...source, at: range.start }, units);
}

/** Adds the cost of a page. */
export function addPageCost(
  consumption: Consumption,
  { index }: Source,
  page: Page,
  consistent: boolean | undefined,
): void {
  const mode = consistent ? "strong" : "eventual";
  const units = readUnits(page.bytes, mode);
  if (index === undefined) consumption.addTable(units);
  else consumption.addIndex(index, units);
  // AWS: LSI — each item fetched from the table costs a separate read.
  for (const size of page.fetched) consumption.addTable(readUnits(size, mode));
}

/** AWS: Query — a page ends after reading this many bytes, before filter and projection. */
export const maxPageBytes: number = 1024 * 1024;

/** The items that were read for a page. */
export interface Page {
  /** The items that passed the filter: entries of the table or index, or the whole items to which they belong. */
  readonly items: readonly StoredItem[];
  /** The number of entries read. */
  readonly scanned: number;
  /** The size of all entries read. */
  readonly bytes: number;
  /** The size of each item fetched from the table. */
  readonly fetched: readonly number[];
  /** The last entry read, if the page ended there; undefined if the range ended first. */
  readonly stoppedAt: StoredItem | undefined;
}

/** What to read, and where to stop. */
export interface PageRead {
  readonly filter?: Condition;
  /** Stops after this many entries. */
  readonly limit?: number;
  /** Returns the whole item of an entry, for an index that lacks something requested. */
  readonly fetch?: (entry: StoredItem) => StoredItem;
  /** Fetch items before filtering, as PartiQL does. A query fetches only items that pass the filter. */
  readonly fetchFirst?: boolean;
  /** Stops after this many bytes. @default 1 MB */
  readonly maxBytes?: number;
}

/** Reads entries in order until the limit, the page's bytes, or the end of the range is reached. */
export function readPage(storage: Storage, range: KeyRange, read: PageRead): Page {
  const { filter, limit, fetch, fetchFirst = false, maxBytes = maxPageBytes } = read;
  const items: StoredItem[] = [];
  const fetched: number[] = [];
  let scanned = 0;
  let bytes = 0;
  let fetchedBytes = 0;
  let stoppedAt: StoredItem | undefined;
  storage.scan(range, (_key, text) => {
    const entry = new StoredItem(text);
    scanned++;
    bytes += entry.size;
    const passes = filter === undefined || evaluate(filter, entry.item);
    let item = entry;
    if (fetch !== undefined && (passes || fetchFirst)) {
      item = fetch(entry);
      fetched.push(item.size);
      fetchedBytes += item.size;
    }
    if (passes) items.push(item);
    // A fetched item has been read twice: its entry, and itself.
    if (scanned === limit || bytes + fetchedBytes >= maxBytes) stoppedAt = entry;
    return stoppedAt === undefined;
  });
  return { items, scanned, bytes, fetched, stoppedAt };
}

/** Returns the keys after which the next page begins. */
export function pageKey({ table, index }: Source, { item }: StoredItem): WireItem {
  const key: Record<string, WireValue> = {};
  for (const name of pageKeyNames(table.keyNames, index)) {
    const value = getOwn(item, name);
    if (value !== undefined) setOwn(key, name, value);
  }
  return key;
}
