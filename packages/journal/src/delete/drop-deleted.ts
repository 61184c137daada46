import { type BatchWriteEntry, batchWriteStream } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { forEachInParallel, sendIdempotent } from "../context/calls.ts";
import { type Call, isShared, type JournalContext } from "../context/journal-context.ts";
import { firstOfBatchEndingAt, itemSpan } from "../protocol/item-rows.ts";
import type { LowMark } from "../protocol/marks.ts";
import { pageSettings } from "../protocol/read-rows.ts";
import { writerState } from "../protocol/writer-item.ts";
import { decodeTombstone, encodeTombstone, tombstoneNames } from "../rows/tombstone.ts";
import { dropPackedItem } from "./drop-packed.ts";
import type { Deleted } from "./life.ts";
import { finishDelete } from "./low-mark-updates.ts";
import { settledItems } from "./settled-items.ts";

/** A condition of a write. */
interface RowCondition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues: Item;
}

/**
 * The condition that a row is still the one that was read. The id may be purged and started again in between, and a
 * delete must not remove an event of its new life. Our rows are identified by their write id, rows of the original by
 * their writer, or by their payload if they have none.
 */
function isStill({ messageNames }: JournalContext, item: Item): RowCondition | undefined {
  const isTombstone = item[tombstoneNames.mark]?.BOOL === true;
  const name = ["wid", "writer_uuid", "pay", messageNames.payload].find((each) => item[each] !== undefined);
  const value = name === undefined ? undefined : item[name];
  if (name === undefined || value === undefined) return undefined;
  const conditions = [`attribute_${isTombstone ? "" : "not_"}exists(#tomb)`, "#identity = :identity"];
  // A row of ours that replaced one of the original has the same writer.
  if (name !== "wid") conditions.push("attribute_not_exists(wid)");
  return {
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: { "#tomb": tombstoneNames.mark, "#identity": name },
    ExpressionAttributeValues: { ":identity": value },
  };
}

/** How long a deleted sequence number stays in use, in seconds: longer than any writer relies on what it has read. */
const tombstoneLifeSeconds = 24 * 3600;

/**
 * Replaces rows below the low mark with tombstones, and removes expired tombstones. If an Akka plugin shares the table,
 * the rows are removed at once: the plugin treats every item of a bucket as an event.
 */
export async function dropDeleted(
  context: JournalContext,
  persistenceId: string,
  deleted: Deleted,
  options: Call,
): Promise<void> {
  const { life, mark } = deleted;
  const now = Math.floor(context.clock.now() / 1000);
  const sweeps = mark.tombsFrom < mark.rowsFrom && mark.tombsDue <= now && !isShared(context);
  if (mark.rowsFrom >= mark.lowest && !sweeps) return;
  const swept = sweeps ? await sweepTombstones(context, persistenceId, deleted, now, options) : mark;
  const expiresAt = now + tombstoneLifeSeconds;
  const last = await dropRows(context, persistenceId, deleted, expiresAt, options);
  if (last === "purged") return;
  const none = isShared(context) || swept.tombsFrom >= mark.rowsFrom;
  const done = isShared(context) ? { ...swept, tombsFrom: mark.lowest } : swept;
  const tombsDue = none ? expiresAt : swept.tombsDue;
  const lastRow = last && { Delete: removal(context, persistenceId, last) };
  await finishDelete(
    context,
    persistenceId,
    { ...done, rowsFrom: mark.lowest, tombsDue },
    { life, lastRow },
    options,
  );
}

/** A row to remove. */
interface DeletedRow {
  readonly item: Item;
  readonly sequenceNr: number;
}

/** The number of buffered rows, so that a few requests can be in flight together. */
const groupRows = 25;

/**
 * Drops each row below the low mark, a few at a time. If an Akka plugin shares the table, the last row is returned
 * instead: it is dropped in the transaction that raises the plugin's low mark. Returns "purged" if the id has another
 * life.
 */
async function dropRows(
  context: JournalContext,
  persistenceId: string,
  deleted: Deleted,
  expiresAt: number,
  options: Call,
): Promise<DeletedRow | "purged" | undefined> {
  const { layout } = context;
  const { mark } = deleted;
  const below = { from: mark.rowsFrom, to: mark.lowest - 1 };
  let group: DeletedRow[] = [];
  const drop = async (rows: readonly DeletedRow[]): Promise<boolean> => {
    if (rows.length === 0) return true;
    if (!(await stillDeleted(context, persistenceId, deleted, options))) return false;
    const dropEach =
      layout.packed === undefined
        ? (row: DeletedRow) => dropRow(context, persistenceId, row, expiresAt, options)
        : (row: DeletedRow) => dropItem(context, persistenceId, deleted, row, expiresAt, options);
    await forEachInParallel(rows.length, async (at) => {
      await dropEach(rows[at] as DeletedRow);
      return true;
    });
    return true;
  };
  for await (const item of settledItems(context, persistenceId, below, below.to, options)) {
    const sequenceNr = layout.sequenceNrOf(persistenceId, item);
    if (decodeTombstone(item, { persistenceId, sequenceNr }) !== undefined) continue;
    group.push({ item, sequenceNr });
    if (group.length <= groupRows) continue;
    // Rows are read in order, except those that became visible late: the highest one is held back.
    group.sort((one, other) => one.sequenceNr - other.sequenceNr);
    if (!(await drop(group.slice(0, groupRows)))) return "purged";
    group = group.slice(groupRows);
  }
  group.sort((one, other) => one.sequenceNr - other.sequenceNr);
  const last = isShared(context) ? group.pop() : undefined;
  if (!(await drop(group))) return "purged";
  if (last !== undefined) await keepRecord(context, persistenceId, last.item, expiresAt, options);
  return last;
}

/**
 * Returns whether rows that were just read may be dropped: while the low mark above them is unchanged, they belong to
 * its life.
 */
async function stillDeleted(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  { life, mark }: Deleted,
  options: Call,
): Promise<boolean> {
  const Key = layout.writerKey(persistenceId);
  const { Item } = await port.getItem({ TableName: table, Key, ConsistentRead: true }, options);
  return Item?.["life"]?.S === life.name && writerState(Item).low >= mark.lowest;
}

/** Drops the deleted events of an item with several events. */
function dropItem(
  context: JournalContext,
  persistenceId: string,
  deleted: Deleted,
  { item }: DeletedRow,
  expiresAt: number,
  options: Call,
): Promise<void> {
  const drop = {
    persistenceId,
    lowest: deleted.mark.lowest,
    expiresAt,
    isStillDeleted: () => stillDeleted(context, persistenceId, deleted, options),
    keepRecord: async (row: Item) => {
      await keepRecord(context, persistenceId, row, expiresAt, options);
    },
  };
  return dropPackedItem(context, drop, item, options);
}

/**
 * Replaces a row with a tombstone: its payload is gone, and its sequence number stays in use. If an Akka plugin shares
 * the table, removes the row.
 */
async function dropRow(
  context: JournalContext,
  persistenceId: string,
  row: DeletedRow,
  expiresAt: number,
  options: Call,
): Promise<void> {
  const { port, table, layout } = context;
  const commitOf = await keepRecord(context, persistenceId, row.item, expiresAt, options);
  const key = layout.eventKey(persistenceId, row.sequenceNr);
  const tombstone = encodeTombstone({ writeId: row.item["wid"]?.S, expiresAt, commitOf });
  // A second copy of the request finds the tombstone, or nothing, and changes nothing.
  await sendIdempotent(context, options, (call) =>
    isShared(context)
      ? port.deleteItem(removal(context, persistenceId, row), call)
      : port.putItem(
          { TableName: table, Item: { ...key, ...tombstone }, ...isStill(context, row.item) },
          call,
        ),
  );
}

function removal(context: JournalContext, persistenceId: string, { item, sequenceNr }: DeletedRow) {
  const Key = context.layout.eventKey(persistenceId, sequenceNr);
  return { TableName: context.table, Key, ...isStill(context, item) };
}

/**
 * For the last row of a staged batch: sets the expiry of its commit record before the row that refers to it is removed.
 * The record is not removed at once, because a reader may have read a row of the batch and need the record. Returns the
 * first sequence number of the batch.
 */
async function keepRecord(
  context: JournalContext,
  persistenceId: string,
  item: Item,
  expiresAt: number,
  options: Call,
): Promise<number | undefined> {
  const { port, table, layout } = context;
  const writeId = item["wid"]?.S;
  const commitOf = firstOfBatchEndingAt(context, persistenceId, item);
  if (commitOf === undefined || writeId === undefined) return commitOf;
  const Item = {
    ...layout.commitKey(persistenceId, commitOf),
    wid: { S: writeId },
    last: { N: String(itemSpan(context, persistenceId, item).last) },
    ttl: { N: String(expiresAt) },
  };
  await sendIdempotent(context, options, (call) =>
    port.putItem({ TableName: table, Item, ...isRecordOf(writeId) }, call),
  );
  return commitOf;
}

/**
 * The condition that a commit record belongs to a write: after a purge, a batch of the new life may have one at the
 * same key.
 */
function isRecordOf(writeId: string) {
  return { ConditionExpression: "wid = :wid", ExpressionAttributeValues: { ":wid": { S: writeId } } };
}

/** Removes expired tombstones and their commit records, up to the first one that has not expired. */
async function sweepTombstones(
  context: JournalContext,
  persistenceId: string,
  deleted: Deleted,
  now: number,
  options: Call,
): Promise<LowMark> {
  const { port, table, layout } = context;
  const { mark } = deleted;
  const done = { from: mark.tombsFrom, to: mark.rowsFrom - 1 };
  let group: Item[] = [];
  const finish = async () => {
    const items = group;
    group = [];
    if (items.length === 0 || !(await stillDeleted(context, persistenceId, deleted, options))) return;
    await forEachInParallel(items.length, async (at) => {
      const item = items[at] as Item;
      const sequenceNr = layout.sequenceNrOf(persistenceId, item);
      const { commitOf, writeId } = decodeTombstone(item, { persistenceId, sequenceNr }) ?? {};
      if (commitOf !== undefined && writeId !== undefined) {
        const record = { TableName: table, Key: layout.commitKey(persistenceId, commitOf) };
        await sendIdempotent(context, options, (call) =>
          port.deleteItem({ ...record, ...isRecordOf(writeId) }, call),
        );
      }
      const Key = layout.eventKey(persistenceId, sequenceNr);
      await sendIdempotent(context, options, (call) =>
        port.deleteItem({ TableName: table, Key, ...isStill(context, item) }, call),
      );
      return true;
    });
  };
  for await (const item of settledItems(context, persistenceId, done, 0, options)) {
    const sequenceNr = layout.sequenceNrOf(persistenceId, item);
    const tombstone = decodeTombstone(item, { persistenceId, sequenceNr });
    if (tombstone?.expiresAt !== undefined && tombstone.expiresAt > now) {
      await finish();
      return { ...mark, tombsFrom: sequenceNr, tombsDue: tombstone.expiresAt };
    }
    if (tombstone === undefined && itemSpan(context, persistenceId, item).last >= mark.rowsFrom) {
      // An item with events on both sides of the low mark is live. It is removed once all of its events are deleted.
      if (item["staged"]?.BOOL === true) continue;
      await finish();
      return { ...mark, tombsFrom: sequenceNr, tombsDue: now + tombstoneLifeSeconds };
    }
    group.push(item);
    if (group.length >= groupRows) await finish();
  }
  await finish();
  return { ...mark, tombsFrom: mark.rowsFrom };
}

/** Sends batches of puts and deletes one after the other, and stops at the first failure. */
export async function writeAll(
  context: JournalContext,
  entries: AsyncIterable<BatchWriteEntry>,
  options: CallOptions,
): Promise<void> {
  const { port, table, layout } = context;
  const settings = Object.defineProperties(
    { keyNames: { [table]: layout.keyNames }, maxEntries: context.maxBatchWrite },
    Object.getOwnPropertyDescriptors(pageSettings(context, options)),
  );
  for await (const _written of batchWriteStream(port, entries, settings));
}
