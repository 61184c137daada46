import { decodePageCursor, encodePageCursor, queryPages, scanPages } from "@tablekeep/client";
import type { ConsumedCapacity, DynamoPort, Item, Key } from "@tablekeep/core";
import type { ItemsInput } from "./items-request.ts";

/** One page of items. */
export interface ItemsPage {
  readonly items: readonly Item[];
  /** How many items were read, including those that the filter removed. */
  readonly scanned: number;
  /** Capacity units consumed by reading the page. */
  readonly readUnits: number;
  /** Where the next page begins; undefined at the end. */
  readonly next?: string;
}

/**
 * A filter may match nothing for long: after this many DynamoDB pages of 1 MB each the page ends, and the caller
 * decides whether to continue.
 */
const maxPages = 8;

/** Reads until there are as many items as wanted, the end, or enough for one request. */
export async function readItems(
  port: DynamoPort,
  asked: ItemsInput,
  options: { readonly limit: number; readonly cursor?: string; readonly signal: AbortSignal },
): Promise<ItemsPage> {
  const { limit, cursor, signal } = options;
  const items: Item[] = [];
  let scanned = 0;
  let readUnits = 0;
  let pages = 0;
  for await (const page of pagesOf(port, asked, { limit, cursor, signal })) {
    items.push(...(page.Items ?? []));
    scanned += page.ScannedCount ?? 0;
    readUnits += page.ConsumedCapacity?.CapacityUnits ?? 0;
    pages++;
    const next = page.LastEvaluatedKey;
    const last = items[limit - 1];
    const read = { scanned, readUnits };
    if (last !== undefined && items.length > limit)
      return { ...read, items: items.slice(0, limit), next: cursorAt(asked, keyOf(last, asked.keys)) };
    if (items.length === limit || pages === maxPages) return { ...read, items, next: cursorAt(asked, next) };
  }
  return { items, scanned, readUnits };
}

interface AnyPage {
  readonly Items?: Item[];
  readonly ScannedCount?: number;
  readonly ConsumedCapacity?: ConsumedCapacity;
  readonly LastEvaluatedKey?: Key;
}

/** Without a filter, only as many items are read as requested; with one, whole pages, because matches may be rare. */
function pagesOf(
  port: DynamoPort,
  { kind, input }: ItemsInput,
  { limit, cursor, signal }: Parameters<typeof readItems>[2],
): AsyncIterable<AnyPage> {
  const ExclusiveStartKey = cursor === undefined ? undefined : decodePageCursor(input, cursor);
  const from = { ...input, ExclusiveStartKey };
  const options = { signal, limit: input.FilterExpression === undefined ? limit : undefined };
  return kind === "query" ? queryPages(port, from, options) : scanPages(port, from, options);
}

function cursorAt({ input }: ItemsInput, key: Key | undefined): string | undefined {
  return key === undefined ? undefined : encodePageCursor(input, key);
}

function keyOf(item: Item, names: readonly string[]): Key {
  return Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}
