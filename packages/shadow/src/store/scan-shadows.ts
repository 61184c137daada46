import { decodePageCursor, encodePageCursor } from "@tablekeep/client";
import type { Item, Key, QueryInput, ScanInput } from "@tablekeep/core";
import { isShadowError } from "../model/shadow-error.ts";
import { partitionOf, type RowId, rowIdOf, rowKey, shadowText } from "../rows/row-keys.ts";
import { readRow } from "../rows/stored-row.ts";
import { readShadows, shadowOf } from "./read-shadows.ts";
import type { Shadow } from "./shadows.ts";
import type { StoreCall } from "./store-options.ts";

/** The shadows to read. */
export interface ScanRequest<Value> {
  /** Only the shadows of this thing. @default the shadows of all things, by a scan of the table */
  readonly id?: string;
  /** Maximum number of values. */
  readonly limit: number;
  /** The end of the previous page. @default the beginning */
  readonly token?: string;
  /** Returns the value of each shadow that was read; undefined to leave it out. */
  readonly select: (shadows: readonly Shadow[]) => Promise<readonly (Value | undefined)[]>;
}

/** Selected values, and where the next page begins. */
export interface ScanPage<Value> {
  readonly values: readonly Value[];
  readonly token?: string;
}

const itemsPerRequest = 100;
/** A request returns up to 1 MB: a page reads at most 1,000 items and 10 MB, however few it selects. */
const maxRequests = 10;

/**
 * Reads the shadows of the store's model, and returns those that are selected. A page may be empty and still have a token. Corrupt
 * items are left out.
 */
export async function scanShadows<Value>(
  call: StoreCall,
  { id, limit, token, select }: ScanRequest<Value>,
): Promise<ScanPage<Value>> {
  const input = inputOf(call, id);
  const values: Value[] = [];
  const selected = new Set<string>();
  const halfTimeMs = call.leftMs() / 2;
  let start = token === undefined ? undefined : decodePageCursor(input, token);
  for (let request = 0; request < maxRequests; request++) {
    const { items, next } = await readItems(call, input, start);
    const found = await shadowsOf(call, items);
    const choice = await select(found.map(({ shadow }) => shadow));
    for (const [at, { row }] of found.entries()) {
      const value = choice[at];
      if (value === undefined || selected.has(shadowText(row))) continue;
      values.push(value);
      selected.add(shadowText(row));
      // There may be nothing after it, in which case the next page is empty.
      if (values.length === limit) return { values, token: encodePageCursor(input, rowKey(row)) };
    }
    start = next;
    if (start === undefined) return { values };
    if (call.leftMs() <= halfTimeMs) break;
  }
  return { values, ...(start !== undefined && { token: encodePageCursor(input, start) }) };
}

function inputOf(call: StoreCall, id: string | undefined): QueryInput | ScanInput {
  const table = { TableName: call.options.table, ConsistentRead: true };
  if (id === undefined) return table;
  return {
    ...table,
    KeyConditionExpression: "PK = :id",
    ExpressionAttributeValues: { ":id": { S: partitionOf(id) } },
  };
}

async function readItems(call: StoreCall, input: QueryInput | ScanInput, start: Key | undefined) {
  const { clock: _clock, random: _random, ...request } = call.request();
  const params = { ...input, Limit: itemsPerRequest, ...(start && { ExclusiveStartKey: start }) };
  const page =
    "KeyConditionExpression" in params
      ? await call.port.query(params, request)
      : await call.port.scan(params, request);
  return { items: page.Items ?? [], next: page.LastEvaluatedKey };
}

/** A shadow, and the item at which it is returned. */
interface FoundShadow {
  readonly row: RowId;
  readonly shadow: Shadow;
}

async function shadowsOf(call: StoreCall, items: readonly Item[]): Promise<FoundShadow[]> {
  const { model } = call.options;
  const found = items.flatMap((item) => {
    const row = rowIdOf(item);
    return row !== undefined && (row.kind === "combined") === (model === "combined") ? [{ item, row }] : [];
  });
  if (model === "separate")
    return fromHalves(
      call,
      found.map(({ row }) => row),
    );
  return found.flatMap(({ item, row }) => {
    const { id, name } = row;
    try {
      return [{ row, shadow: shadowOf({ id, name }, model, [readRow(item)]) }];
    } catch (error) {
      leaveOut(call, error);
      return [];
    }
  });
}

/**
 * Reads both halves of separate shadows as of one moment. A shadow is returned at its reported half, which follows the desired one, and at
 * the desired one if there is no other. A shadow that is first reported during a search may therefore be in two pages; none is missed.
 */
async function fromHalves(call: StoreCall, rows: readonly RowId[]): Promise<FoundShadow[]> {
  const distinct = [...new Map(rows.map((row) => [shadowText(row), row])).values()];
  const results = await readShadows(
    call,
    distinct.map(({ id, name }) => ({ id, name })),
    true,
  );
  const outcomes = new Map(results.map((result) => [shadowText(result), result.outcome]));
  return rows.flatMap((row) => {
    const outcome = outcomes.get(shadowText(row));
    if (outcome?.kind !== "ok") {
      if (outcome !== undefined) leaveOut(call, outcome.error);
      return [];
    }
    const { value: shadow } = outcome;
    return row.kind === "desired" && shadow.reported !== undefined ? [] : [{ row, shadow }];
  });
}

/** Logs a corrupt item, ignores a shadow that was deleted during the scan, and throws any other error. */
function leaveOut(call: StoreCall, error: unknown): void {
  if (isShadowError(error, "SHADOW_NOT_FOUND")) return;
  if (!isShadowError(error, "SHADOW_ITEM_CORRUPT") && !isShadowError(error, "SHADOW_VERSION_UNSAFE"))
    throw error;
  const { id, name } = error.details;
  call.options.logger.warn("skipped a corrupt item in a search of shadows", { id, name, error });
}
