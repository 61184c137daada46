import { createHash } from "node:crypto";
import { type ExecuteStatementInput, isDynamoError } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import { ItemAnswer } from "../answer/item-answer.ts";
import { Consumption } from "../catalog/consumption.ts";
import type { Database } from "../database/database.ts";
import { valueAt } from "../expression/evaluate.ts";
import { checkFilterProjected, checkReadPaths } from "../read/check-read.ts";
import { checkStartKey, rangeAfter } from "../read/key-range.ts";
import { itemFetcher } from "../read/read-item.ts";
import {
  addPageCost,
  maxPageBytes,
  type Page,
  type PageRead,
  pageKey,
  readPage,
  spendPage,
} from "../read/read-page.ts";
import { type Source, sourceOf } from "../read/source.ts";
import type { KeyRange, Storage } from "../storage/storage.ts";
import { invalid } from "../values/dynamo-errors.ts";
import type { StoredItem } from "../values/stored-item.ts";
import { setOwn, type WireItem, type WireValue } from "../values/wire-value.ts";
import { bindCondition } from "./bind-condition.ts";
import type { BoundStatement } from "./bind-statement.ts";
import { planSelect, type SelectPlan } from "./plan-select.ts";
import { checkSingleKeys } from "./select-item.ts";
import type { Selection, SelectStatement } from "./statement.ts";

/** AWS: PartiQL operators — maximum items per page of a read of several partitions. */
const maxItemsAcrossPartitions = 10;

/** Carries out one page of a SELECT. */
export function runSelect(
  database: Database,
  { statement, parameters }: BoundStatement<SelectStatement>,
  input: ExecuteStatementInput,
): Answer {
  const { where, order, selection } = statement;
  // Errors in the statement itself are reported before its table is looked up.
  const condition = where && bindCondition(where, parameters);
  const source = selectSource(database, statement, input.ConsistentRead);
  const plan = planSelect(source, condition, order);
  checkReadPaths(source, { projection: selection?.map(({ path }) => path), filter: condition });
  // A scan of an index simply finds nothing by attributes that the index does not contain.
  if (plan.keyed && plan.filter !== undefined) checkFilterProjected(source, plan.filter);
  const owner = () => tokenOwner(input.Statement ?? "", parameters);
  const start = input.NextToken === undefined ? { range: 0 } : readToken(owner(), input.NextToken);
  const requested = plan.multiple
    ? Math.min(input.Limit ?? maxItemsAcrossPartitions, maxItemsAcrossPartitions)
    : input.Limit;
  const limit = database.service.pageLimit(requested);
  const fetch = itemFetcher(
    database,
    source,
    undefined,
    selection?.map(({ path }) => path),
  );
  const { partitions } = database.service;
  if (plan.keyed) for (const { start: at } of plan.ranges) partitions?.admit("read", { ...source, at });
  const read = readRanges(database.storage, source, plan, start, { limit, fetch });
  const consumption = new Consumption(source.table, "read");
  for (const [at, page] of read.pages.entries()) {
    addPageCost(consumption, source, page, input.ConsistentRead);
    const range = plan.ranges[start.range + at];
    if (plan.keyed && range !== undefined) spendPage(database, source, range, page, input.ConsistentRead);
  }
  return {
    Items: read.pages.flatMap(({ items }) => items.map((item) => selectionAnswer(item, selection))),
    NextToken: read.next && writeToken(owner(), read.next),
    LastEvaluatedKey: read.stoppedAt && ItemAnswer.ofItem(pageKey(source, read.stoppedAt)),
    ConsumedCapacity: consumption.finish(input.ReturnConsumedCapacity),
  };
}

/** Returns the response for a stored item, or for its selected attributes. */
function selectionAnswer(stored: StoredItem, selection: Selection | undefined): ItemAnswer {
  return selection === undefined
    ? ItemAnswer.ofStored(stored)
    : ItemAnswer.ofItem(select(selection, stored.item));
}

/** Returns the selected attributes of an item. */
function select(selection: Selection, item: WireItem): WireItem {
  const selected: Record<string, WireValue> = {};
  for (const { path, name } of selection) {
    const value = valueAt(item, path);
    if (value !== undefined) setOwn(selected, name, value);
  }
  return selected;
}

/** Returns the table and index of a SELECT. DynamoDB's errors for them differ from those of a query. */
function selectSource(
  database: Database,
  { table: TableName, index: IndexName }: SelectStatement,
  ConsistentRead: boolean | undefined,
): Source {
  const { indexes } = database.catalog.get(TableName);
  const index = indexes.find(({ name }) => name === IndexName);
  if (IndexName !== undefined && index === undefined) {
    throw invalid("The table does not have the specified index");
  }
  checkSingleKeys(index);
  if (index?.kind === "global" && ConsistentRead) {
    throw invalid("Strongly consistent read is not supported on Global Secondary Indexes");
  }
  return sourceOf(database, { TableName, IndexName, ConsistentRead });
}

/** The items that were read from the ranges of a plan. */
interface RangesRead {
  /** One page for each range that was read. */
  readonly pages: readonly Page[];
  /** The last entry read, if there may be more after it. */
  readonly stoppedAt: StoredItem | undefined;
  /** Where to continue; undefined when everything was read. */
  readonly next: PagePosition | undefined;
}

/** Reads ranges one after the other, until `limit` entries, a page's bytes, or the end of the last range. */
function readRanges(
  storage: Storage,
  source: Source,
  { ranges, filter }: SelectPlan,
  start: PagePosition,
  { limit, fetch }: Pick<PageRead, "limit" | "fetch">,
): RangesRead {
  const pages: Page[] = [];
  let left = limit;
  let bytes = 0;
  let range: KeyRange | undefined = firstRange(source, ranges, start);
  for (let at = start.range; range !== undefined; range = ranges[++at]) {
    const maxBytes = maxPageBytes - bytes;
    const page = readPage(storage, range, { filter, limit: left, fetch, fetchFirst: true, maxBytes });
    pages.push(page);
    if (page.stoppedAt !== undefined) {
      const after = pageKey(source, page.stoppedAt);
      return { pages, stoppedAt: page.stoppedAt, next: { range: at, after } };
    }
    bytes += page.bytes + page.fetched.reduce((sum, size) => sum + size, 0);
    left = left === undefined ? undefined : left - page.scanned;
  }
  return { pages, stoppedAt: undefined, next: undefined };
}

/** Returns the rest of the range at which a page begins. */
function firstRange(source: Source, ranges: readonly KeyRange[], start: PagePosition): KeyRange {
  const range = ranges[start.range];
  if (range === undefined) throw invalidToken();
  if (start.after === undefined) return range;
  const rest = rangeAfter(source, range, startKey(source, start.after));
  if (rest === undefined) throw invalidToken();
  return rest;
}

function startKey(source: Source, after: unknown): ReturnType<typeof checkStartKey> {
  try {
    return checkStartKey(source, after);
  } catch (error) {
    throw isDynamoError(error) ? invalidToken() : error;
  }
}

/** Where the next page of a SELECT begins. */
interface PagePosition {
  /** The index of the range in its plan. */
  readonly range: number;
  /** The keys of the last entry read of the range; undefined if there was none. */
  readonly after?: WireItem;
}

/** Returns the context of a token: one statement with its parameters. */
function tokenOwner(statement: string, parameters: readonly unknown[]): string {
  return createHash("sha256")
    .update(JSON.stringify([statement, parameters]))
    .digest("base64")
    .slice(0, 22);
}

/** Encodes the position of the next page as a token. */
function writeToken(owner: string, place: PagePosition): string {
  return Buffer.from(JSON.stringify({ owner, ...place })).toString("base64");
}

/** Decodes a token from outside. Its position is not checked further. */
function readToken(owner: string, token: string): PagePosition {
  const place = parseToken(token);
  if (place?.["owner"] !== owner || !Number.isSafeInteger(place["range"])) throw invalidToken();
  return { range: place["range"] as number, after: place["after"] as WireItem | undefined };
}

/** DynamoDB's error for a token that it did not issue, or not for this statement. */
function invalidToken(): Error {
  return invalid("Invalid NextToken");
}

function parseToken(token: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, "base64").toString("utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
