import type { CallOptions, Item, Key } from "@tablekeep/core";
import type { JournalContext } from "../context/journal-context.ts";
import type { PackedKeys, RowSpan, SpanQuery } from "../layouts/layout.ts";
import { tombstoneNames } from "../rows/tombstone.ts";
import { itemSpan } from "./item-rows.ts";

/** Items of one page at most. */
const pageItems = 500;

/** Items that are asked for at once on the way down to the one that covers a number. */
const searchItems = 100;

/** One page of items of a query. */
export interface PackedPage {
  readonly Items: readonly Item[];
  readonly LastEvaluatedKey?: Key;
}

/**
 * The first page of items that hold numbers from `from` on. The item that covers `from` may begin below it: then it comes
 * first. `query` reads the items whose keys are `from` or higher; others than events among them stay in.
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

/** Whether an item surely holds the event of a number as its first. */
function beginsAt(context: JournalContext, persistenceId: string, item: Item, number: number): boolean {
  if (item[tombstoneNames.mark]?.BOOL === true || item["staged"]?.BOOL === true) return false;
  return context.layout.sequenceNrOf(persistenceId, item) === number;
}

/**
 * The items that begin below a number and reach it, in order: one, or several where staged ones lie among them, which count
 * only if they are committed. Tombstones that a compaction left lead down to the item that has their events.
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

/** The items that hold numbers of a span, page by page, in the order of their keys. */
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
