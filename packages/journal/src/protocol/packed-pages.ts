import type { CallOptions, Item, Key } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import type { PackedKeys, RowSpan, SpanQuery } from "../layouts/layout.ts";
import { tombstoneNames } from "../rows/tombstone.ts";
import { itemSpan } from "./item-rows.ts";

/** The maximum number of items in a page. */
const pageItems = 500;

/** The page size of the backward search for the item that contains a sequence number. */
const searchItems = 100;

/** One page of items of a query. */
export interface PackedPage {
  readonly Items: readonly Item[];
  readonly LastEvaluatedKey?: Key;
}

/**
 * Reads the first page of items with sequence numbers from `from` on. The item that contains `from` may begin before it, and is then
 * the first. `query` reads the items with keys from `from` on. Items other than events are returned too.
 */
export async function firstPage(
  context: JournalContext,
  persistenceId: string,
  from: number,
  query: SpanQuery,
  call: CallOptions,
): Promise<PackedPage> {
  const { port, table: TableName } = context;
  const { Items = [], LastEvaluatedKey } = await port.query(
    { TableName, ...query, ConsistentRead: true, Limit: pageItems },
    call,
  );
  const { roleOf } = context.layout.packed as PackedKeys;
  const first = Items.find((item) => roleOf(item) === "event");
  if (from <= 1 || (first !== undefined && beginsAt(context, persistenceId, first, from)))
    return { Items, LastEvaluatedKey };
  const covering = await coveringItems(context, persistenceId, from, call);
  return { Items: [...covering, ...Items], LastEvaluatedKey };
}

/** Returns whether an item is live and begins with this sequence number. */
function beginsAt(context: JournalContext, persistenceId: string, item: Item, number: number): boolean {
  if (item[tombstoneNames.mark]?.BOOL === true || item["staged"]?.BOOL === true) return false;
  return context.layout.sequenceNrOf(persistenceId, item) === number;
}

/**
 * Reads the items that begin before a sequence number and contain it, in order: one, or several if some are staged, which count
 * only if they are committed. Tombstones of a compaction are skipped: an earlier item has their events.
 */
async function coveringItems(
  context: JournalContext,
  persistenceId: string,
  number: number,
  call: CallOptions,
): Promise<readonly Item[]> {
  const { port, table: TableName, layout } = context;
  const query = layout.spanQuery(persistenceId, { from: 1, to: number - 1 }) as SpanQuery;
  const { roleOf } = layout.packed as PackedKeys;
  const input = { TableName, ...query, ConsistentRead: true, ScanIndexForward: false };
  const covering: Item[] = [];
  let ExclusiveStartKey: Key | undefined;
  for (let Limit = 2; ; Limit = searchItems) {
    const { Items = [], LastEvaluatedKey } = await port.query({ ...input, Limit, ExclusiveStartKey }, call);
    for (const item of Items) {
      if (roleOf(item) !== "event") continue;
      if (item[tombstoneNames.mark]?.BOOL === true) {
        if (item[tombstoneNames.into] === undefined) return covering;
        continue;
      }
      if (itemSpan(context, persistenceId, item).last >= number) covering.unshift(item);
      if (item["staged"]?.BOOL !== true) return covering;
    }
    if (LastEvaluatedKey === undefined) return covering;
    ExclusiveStartKey = LastEvaluatedKey;
  }
}

/** Reads the items with sequence numbers of a span, page by page, in the order of their keys. */
export async function* packedPages(
  context: JournalContext,
  persistenceId: string,
  span: RowSpan,
  call: CallOptions,
): AsyncGenerator<PackedPage, void, undefined> {
  const { port, table: TableName, layout } = context;
  const query = layout.spanQuery(persistenceId, span) as SpanQuery;
  const { roleOf } = layout.packed as PackedKeys;
  const events = (items: readonly Item[]) => items.filter((item) => roleOf(item) === "event");
  const input = { TableName, ...query, ConsistentRead: true, Limit: pageItems };
  const first = await firstPage(context, persistenceId, span.from, query, call);
  yield { Items: events(first.Items) };
  let ExclusiveStartKey = first.LastEvaluatedKey;
  while (ExclusiveStartKey !== undefined) {
    const { Items = [], LastEvaluatedKey } = await port.query({ ...input, ExclusiveStartKey }, call);
    yield { Items: events(Items) };
    ExclusiveStartKey = LastEvaluatedKey;
  }
}
