import { cancellationMeaning, itemSize, maxItemBytes, maxTransactActions } from "@tablekeep/client";
import { type CallOptions, type Item, isDynamoError, isTablekeepError } from "@tablekeep/core";
import { sendIdempotent } from "../context/calls.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { isUnchanged } from "../delete/drop-packed.ts";
import { isEvent, itemRows, itemSpan } from "../protocol/item-rows.ts";
import { readEventItem } from "../protocol/judge-occupant.ts";
import { readMarks } from "../protocol/marks.ts";
import { readItems } from "../protocol/read-rows.ts";
import { encodePackedItem, packedHead, packedNames } from "../rows/packed-item.ts";
import { encodeTombstone, tombstoneNames } from "../rows/tombstone.ts";

/** The result of compacting one id. */
export interface CompactedId {
  /** Items that were merged into others. */
  readonly merged: number;
  /** Items into which others were merged. */
  readonly into: number;
}

/** How long the key of a merged item stays in use, in seconds: longer than a writer relies on what it has read. */
const tombstoneLifeSeconds = 24 * 3600;

/** Consecutive items, with their last sequence number and their total size. */
interface Group {
  readonly items: Item[];
  last: number;
  bytes: number;
}

/**
 * Merges consecutive items of an id, as many as fit into one item and one transaction. Safe while the id is read, written and
 * deleted from: the merged item replaces the first one and the others become tombstones that point to it, in one transaction and
 * only if none has changed. Tombstones keep the write ids, so a writer whose response was lost still finds its write. Items before
 * the one that has the sequence number `from` are not read.
 */
export async function compactId(
  context: JournalContext,
  persistenceId: string,
  call: CallOptions,
  from = 1,
): Promise<CompactedId> {
  const { low } = await readMarks(context, persistenceId, call);
  const limit = Math.min(context.maxItemSize, maxItemBytes - 8);
  const now = Math.floor(context.clock.now() / 1000);
  const range = { from: Math.max(from, low), to: Number.MAX_SAFE_INTEGER };
  let group: Group | undefined;
  let merged = 0;
  let into = 0;
  const flush = async () => {
    const items = group?.items ?? [];
    group = undefined;
    if (items.length < 2 || !(await mergeItems(context, persistenceId, items, now, call))) return;
    merged += items.length - 1;
    into++;
  };
  for await (const page of readItems(context, persistenceId, range, call)) {
    for (const item of page) {
      if (item[tombstoneNames.mark]?.BOOL === true) {
        await sweepMoved(context, persistenceId, item, now, call);
        continue;
      }
      if (item["staged"]?.BOOL === true) continue;
      const { first, last, writeLast } = itemSpan(context, persistenceId, item);
      // The rest of its last write is in the next item, which may not be visible yet. The item would leave a tombstone that ends
      // within the write, and readers that see the tombstone first would take that for the end.
      if (writeLast > last) continue;
      const bytes = itemSize(item);
      const isNext =
        group !== undefined &&
        first === group.last + 1 &&
        group.items.length < maxTransactActions &&
        group.bytes + bytes <= limit;
      if (!isNext) await flush();
      group ??= { items: [], last: 0, bytes: 0 };
      group.items.push(item);
      group.last = last;
      group.bytes += bytes;
    }
  }
  await flush();
  return { merged, into };
}

/** Merges items in one transaction. Returns false if one of them has changed or is corrupt. */
async function mergeItems(
  context: JournalContext,
  persistenceId: string,
  items: readonly Item[],
  now: number,
  call: CallOptions,
): Promise<boolean> {
  const { port, table, layout, logger } = context;
  const [target, ...others] = items as readonly [Item, ...Item[]];
  const { first } = itemSpan(context, persistenceId, target);
  let attributes: Item;
  try {
    const rows = items.flatMap((item) => itemRows(context, persistenceId, item)).filter(isEvent);
    attributes = encodePackedItem(rows, packedHead(target), first);
    // Common tags of items were counted once per item, and shared tags are stored differently.
    if (itemSize({ ...layout.eventKey(persistenceId, first), ...attributes }) > maxItemBytes) return false;
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    logger.warn("items were not merged because one is corrupt", { persistenceId, first, error });
    return false;
  }
  const put = (key: number, what: Item, before: Item) => ({
    Put: {
      TableName: table,
      Item: { ...layout.eventKey(persistenceId, key), ...what },
      ...isUnchanged(before),
    },
  });
  const expiresAt = now + tombstoneLifeSeconds;
  const TransactItems = [
    put(first, attributes, target),
    ...others.map((item) => {
      const { first: key, last } = itemSpan(context, persistenceId, item);
      const writeId = item[packedNames.writeId]?.S;
      return put(key, encodeTombstone({ writeId, expiresAt, last, into: first }), item);
    }),
  ];
  let isDone = true;
  await sendIdempotent(context, call, async (options) => {
    try {
      await port.transactWriteItems({ TransactItems }, options);
    } catch (error) {
      if (!isDynamoError(error, "TransactionCanceledException")) throw error;
      if (cancellationMeaning(error.details.cancellationReasons ?? []) !== "conflict") throw error;
      isDone = false;
    }
  });
  if (isDone) return true;
  // Its own earlier success makes its conditions fail.
  const stored = await readEventItem(context, persistenceId, first, call);
  return sameBytes(stored?.[packedNames.checksum]?.B, attributes[packedNames.checksum]?.B);
}

function sameBytes(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
}

/** Removes an expired tombstone of an earlier compaction, for tables without time to live. */
async function sweepMoved(
  context: JournalContext,
  persistenceId: string,
  item: Item,
  now: number,
  call: CallOptions,
): Promise<void> {
  const { port, table, layout } = context;
  const ttl = Number(item[tombstoneNames.expiry]?.N ?? Number.POSITIVE_INFINITY);
  const into = item[tombstoneNames.into];
  if (into === undefined || ttl > now) return;
  const Key = layout.eventKey(persistenceId, layout.sequenceNrOf(persistenceId, item));
  const input = {
    TableName: table,
    Key,
    ConditionExpression: "#into = :into AND #ttl = :ttl",
    ExpressionAttributeNames: { "#into": tombstoneNames.into, "#ttl": tombstoneNames.expiry },
    ExpressionAttributeValues: { ":into": into, ":ttl": { N: String(ttl) } },
  };
  await sendIdempotent(context, call, (options) => port.deleteItem(input, options));
}
