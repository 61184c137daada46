import { type BatchWriteEntry, batchWriteStream } from "@tablekeep/client";
import type { CallOptions, Item } from "@tablekeep/core";
import { inParallel } from "../append/in-parallel.ts";
import { sendIdempotent } from "../append/send-idempotent.ts";
import { isShared, type JournalCall, type JournalContext } from "../journal-context.ts";
import { type LowMark, readLowMark } from "../position/low-mark.ts";
import { readMarks } from "../position/read-marks.ts";
import { pageSettings } from "../replay/read-rows.ts";
import { decodeTombstone, encodeTombstone } from "../rows/tombstone.ts";
import { committedFirst } from "./committed-first.ts";
import { noteProgress } from "./low-mark-updates.ts";
import { isStill } from "./same-row.ts";
import { settledItems } from "./settled-items.ts";

/** How long a deleted number stays taken, in seconds: longer than any writer trusts its view. */
const tombstoneLifeSeconds = 24 * 3600;

/**
 * Replaces rows below the low mark by tombstones, and removes tombstones whose time is over. Where an Akka plugin shares the
 * table the rows are removed at once: it takes whatever stands in a bucket for an event.
 */
export async function dropDeleted(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  options: JournalCall,
): Promise<void> {
  const now = Math.floor(context.clock.now() / 1000);
  const sweeps = mark.tombsFrom < mark.rowsFrom && mark.tombsDue <= now && !isShared(context);
  if (mark.rowsFrom >= mark.lowest && !sweeps) return;
  const swept = sweeps ? await sweepTombstones(context, persistenceId, mark, now, options) : mark;
  const expiresAt = now + tombstoneLifeSeconds;
  const drop = isShared(context) ? removeRow : buryRow;
  await forRows(context, persistenceId, mark, options, (row) =>
    drop(context, persistenceId, row, expiresAt, options),
  );
  const none = isShared(context) || swept.tombsFrom >= mark.rowsFrom;
  const done = isShared(context) ? { ...swept, tombsFrom: mark.lowest } : swept;
  const tombsDue = none ? expiresAt : swept.tombsDue;
  await noteProgress(context, persistenceId, { ...done, rowsFrom: mark.lowest, tombsDue }, options);
}

/** A row that is to go. */
interface DeletedRow {
  readonly item: Item;
  readonly sequenceNr: number;
}

/** Rows that are held at once, so that a few requests can be under way together. */
const groupRows = 25;

/**
 * Does something with each row below the low mark, a few at a time; with the last of a bucket when it is done with all
 * others. The original finds the highest number by the last row of a bucket, and only where there is none by the low mark.
 */
async function forRows(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  options: JournalCall,
  drop: (row: DeletedRow) => Promise<void>,
): Promise<void> {
  const { layout } = context;
  const below = { from: mark.rowsFrom, to: mark.lowest - 1 };
  let group: DeletedRow[] = [];
  let last: DeletedRow | undefined;
  const isDeleted = () => stillDeleted(context, persistenceId, mark, options);
  const finish = async () => {
    const rows = group;
    group = [];
    await inParallel(rows.length, async (at) => {
      await drop(rows[at] as DeletedRow);
      return true;
    });
  };
  for await (const item of settledItems(context, persistenceId, below, below.to, options)) {
    const sequenceNr = layout.sequenceNrOf(persistenceId, item);
    if (decodeTombstone(item, { persistenceId, sequenceNr }) !== undefined) continue;
    if (last !== undefined) {
      const endsBucket = layout.endOfSpan(last.sequenceNr) < sequenceNr;
      const isFull = endsBucket || group.length + 1 >= groupRows;
      if (isFull && !(await isDeleted())) return;
      if (endsBucket) await finish();
      group.push(last);
      if (isFull) await finish();
    }
    last = { item, sequenceNr };
  }
  if (last === undefined || !(await isDeleted())) return;
  await finish();
  await drop(last);
}

/**
 * Whether rows that were just read may be dropped. Only a purge removes a low mark, and does so before the id is used again:
 * while the mark stands, the rows that were read before are those that it counts as deleted.
 */
async function stillDeleted(
  context: JournalContext,
  persistenceId: string,
  { lowest }: LowMark,
  options: JournalCall,
): Promise<boolean> {
  const { port, table, layout } = context;
  const { key, attribute } = layout.lowMark(persistenceId, lowest);
  const { Item } = await port.getItem({ TableName: table, Key: key, ConsistentRead: true }, options);
  if (Item !== undefined && readLowMark(Item, attribute).lowest >= lowest) return true;
  // A mark of the original may be kept elsewhere.
  return (await readMarks(context, persistenceId, options)).low >= lowest;
}

/** Replaces a row by a tombstone: its payload is gone, its number stays taken. */
async function buryRow(
  context: JournalContext,
  persistenceId: string,
  row: DeletedRow,
  expiresAt: number,
  options: JournalCall,
): Promise<void> {
  const { port, table, layout } = context;
  const { item, sequenceNr } = row;
  const commitOf = await keepRecord(context, persistenceId, row, expiresAt, options);
  const tombstone = encodeTombstone({ writeId: item["wid"]?.S, expiresAt, commitOf });
  const Item = { ...layout.eventKey(persistenceId, sequenceNr), ...tombstone };
  // A second copy finds the tombstone, and leaves it.
  await sendIdempotent(context, options, (call) =>
    port.putItem({ TableName: table, Item, ...isStill(context, item) }, call),
  );
}

async function removeRow(
  context: JournalContext,
  persistenceId: string,
  row: DeletedRow,
  expiresAt: number,
  options: JournalCall,
): Promise<void> {
  const { port, table, layout } = context;
  await keepRecord(context, persistenceId, row, expiresAt, options);
  const Key = layout.eventKey(persistenceId, row.sequenceNr);
  await sendIdempotent(context, options, (call) =>
    port.deleteItem({ TableName: table, Key, ...isStill(context, row.item) }, call),
  );
}

/**
 * With the last row of a staged batch: lets its commit record expire, before the row that tells of it goes. Not at once: a
 * reader may hold a row of the batch and look for its record. Gives the first number of the batch.
 */
async function keepRecord(
  context: JournalContext,
  persistenceId: string,
  { item, sequenceNr }: DeletedRow,
  expiresAt: number,
  options: JournalCall,
): Promise<number | undefined> {
  const { port, table, layout } = context;
  const writeId = item["wid"]?.S;
  const commitOf = committedFirst(item, sequenceNr);
  if (commitOf === undefined || writeId === undefined) return commitOf;
  const Item = {
    ...layout.commitKey(persistenceId, commitOf),
    wid: { S: writeId },
    last: { N: String(sequenceNr) },
    ttl: { N: String(expiresAt) },
  };
  await sendIdempotent(context, options, (call) =>
    port.putItem({ TableName: table, Item, ...isRecordOf(writeId) }, call),
  );
  return commitOf;
}

/** The condition that a commit record is of a write: after a purge, a batch of the new life may have one at the same key. */
function isRecordOf(writeId: string) {
  return { ConditionExpression: "wid = :wid", ExpressionAttributeValues: { ":wid": { S: writeId } } };
}

/** Removes expired tombstones, with the commit records that expired along, up to the first that has not. */
async function sweepTombstones(
  context: JournalContext,
  persistenceId: string,
  mark: LowMark,
  now: number,
  options: JournalCall,
): Promise<LowMark> {
  const { port, table, layout } = context;
  const done = { from: mark.tombsFrom, to: mark.rowsFrom - 1 };
  let group: Item[] = [];
  const finish = async () => {
    const items = group;
    group = [];
    if (items.length === 0 || !(await stillDeleted(context, persistenceId, mark, options))) return;
    await inParallel(items.length, async (at) => {
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
    group.push(item);
    if (group.length >= groupRows) await finish();
  }
  await finish();
  return { ...mark, tombsFrom: mark.rowsFrom };
}

/** Puts and deletes one batch after the other; stops at the first that fails. */
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
