import { type BatchWriteEntry, queryItems } from "@tablekeep/client";
import type { CallOptions, Item, Key } from "@tablekeep/core";
import { checkTime, pauseBeforeRetry, sendIdempotent } from "../context/calls.ts";
import { type Call, isShared, type JournalContext } from "../context/journal-context.ts";
import { numberOf } from "../layouts/layout.ts";
import { firstOfBatchEndingAt } from "../protocol/item-rows.ts";
import { readTogether } from "../protocol/liveness.ts";
import { type Position, readPosition } from "../protocol/position.ts";
import { pageSettings } from "../protocol/read-rows.ts";
import { readRegistrySlots } from "../protocol/registry.ts";
import { tombstoneNames } from "../rows/tombstone.ts";
import { markDeleted } from "./delete-to.ts";
import { dropDeleted, writeAll } from "./drop-deleted.ts";
import { finishDelete } from "./low-mark-updates.ts";
import { settledItems } from "./settled-items.ts";

/**
 * Removes everything of an id. First it marks all events as deleted, and it removes that mark only after the events.
 * Interrupted anywhere, the id either has only deleted events or is new, and the purge can be repeated. The registry
 * row goes last: a writer assumes that an id with events is registered, and a surplus registry row is harmless.
 */
export async function purge(
  context: JournalContext,
  persistenceId: string,
  options: Call,
  beforeReset?: () => Promise<void>,
): Promise<void> {
  const position = await deleteAll(context, persistenceId, options);
  if (position === undefined) return;
  await beforeReset?.();
  checkTime(options);
  await removeRows(context, persistenceId, position, options);
  checkTime(options);
  await removeCommitRecords(context, persistenceId, options);
  checkTime(options);
  await removeSnapshots(context, persistenceId, options);
  checkTime(options);
  await removeSmallItems(context, persistenceId, position, options);
  checkTime(options);
  await unregister(context, persistenceId, options);
}

/** Marks all events as deleted, also for the original. Returns undefined if another purge was first. */
async function deleteAll(
  context: JournalContext,
  persistenceId: string,
  options: Call,
): Promise<Position | undefined> {
  for (let retry = 0; ; retry++) {
    const deleted = await markDeleted(context, persistenceId, Number.MAX_SAFE_INTEGER, options, "counts");
    if (deleted === "purged" || deleted === "nothing") return undefined;
    if (deleted !== "empty") {
      // In an order in which the original can read the remaining rows at any moment.
      if (isShared(context)) await dropDeleted(context, persistenceId, deleted, options);
      else await finishDelete(context, persistenceId, deleted.mark, deleted, options);
    }
    checkTime(options);
    const position = await readPosition(context, persistenceId, options, "counts");
    if (deleted === "empty" || position.publishedLow >= position.low) return position;
    await pauseBeforeRetry(context, retry, options);
  }
}

/** If rows are removed, nothing refers to the commit records that earlier deletes have left to expire. */
async function removeCommitRecords(
  context: JournalContext,
  persistenceId: string,
  options: Call,
): Promise<void> {
  const { port, table, layout } = context;
  const query = layout.commitQuery?.(persistenceId);
  if (query === undefined || !isShared(context)) return;
  const input = { TableName: table, ...query, ConsistentRead: true };
  const entries = async function* (): AsyncGenerator<BatchWriteEntry> {
    for await (const record of queryItems(port, input, pageSettings(context, options)))
      yield { table, delete: keyOf(layout, record) };
  };
  await writeAll(context, entries(), options);
}

/**
 * Removes the snapshots beside the events: a new life of the id must not begin with the state of the old one. The
 * snapshot store's garbage collection removes the chunks of large ones.
 */
async function removeSnapshots(context: JournalContext, persistenceId: string, options: Call): Promise<void> {
  const { port, table, layout } = context;
  const { packed } = layout;
  if (packed === undefined) return;
  const [partition, sort = ""] = layout.keyNames;
  const query = packed.wholeQuery(persistenceId, 0);
  const input = {
    TableName: table,
    ...query,
    ConsistentRead: true,
    ProjectionExpression: "#projectedPartition, #projectedSort",
    ExpressionAttributeNames: {
      ...query.ExpressionAttributeNames,
      "#projectedPartition": partition,
      "#projectedSort": sort,
    },
  };
  const entries = async function* (): AsyncGenerator<BatchWriteEntry> {
    for await (const item of queryItems(port, input, pageSettings(context, options)))
      if (packed.roleOf(item) === "snapshot") yield { table, delete: keyOf(layout, item) };
  };
  await writeAll(context, entries(), options);
}

function keyOf({ keyNames }: JournalContext["layout"], item: Item): Key {
  return Object.fromEntries(keyNames.map((name) => [name, item[name]])) as Key;
}

/** How far to search for rows in the buckets above the end of an id: as far as a verification does. */
const searchedAbove = 1000;

/**
 * Removes the rows, and reads further than expected. Rows there are left of a longer batch whose stage is no
 * longer recorded, or of the original, and no mark names them: a new life of the id would meet them again. The search continues until
 * nothing is found.
 */
async function removeRows(
  context: JournalContext,
  persistenceId: string,
  { highest, writer, lowMark }: Position,
  options: Call,
): Promise<void> {
  const { layout } = context;
  let from = lowMark.tombsFrom;
  const staged = Math.max(writer.stage?.last ?? 0, writer.cleared?.last ?? 0);
  let expected = layout.endOfSpan(Math.max(highest, staged));
  const further = layout.name === "bucketed" ? searchedAbove : 1;
  for (;;) {
    const to = Math.min(layout.endOfSpan(expected + further), Number.MAX_SAFE_INTEGER);
    let found = 0;
    const items = settledItems(context, persistenceId, { from, to }, highest, options);
    const rows = allRows(context, persistenceId, items, options, (sequenceNr) => {
      found = Math.max(found, sequenceNr);
    });
    await writeAll(context, rows, options);
    // If an item has several events, the sequence numbers do not show which items are still becoming visible: repeat
    // until none is left.
    if (layout.packed !== undefined && found > 0) continue;
    if (found <= expected || to === Number.MAX_SAFE_INTEGER) return;
    from = to + 1;
    expected = to;
  }
}

async function* allRows(
  context: JournalContext,
  persistenceId: string,
  items: AsyncIterable<Item>,
  options: CallOptions,
  found: (sequenceNr: number) => void,
): AsyncGenerator<BatchWriteEntry> {
  const { table, layout, port } = context;
  for await (const item of items) {
    const sequenceNr = layout.sequenceNrOf(persistenceId, item);
    found(sequenceNr);
    const first =
      firstOfBatchEndingAt(context, persistenceId, item) ?? numberOf(item, tombstoneNames.commitOf);
    if (first !== undefined) {
      // Before the row that refers to it is removed.
      await port.deleteItem({ TableName: table, Key: layout.commitKey(persistenceId, first) }, options);
    }
    yield { table, delete: layout.eventKey(persistenceId, sequenceNr) };
  }
}

/** Removes the id from the registry, from every shard. */
async function unregister(
  context: JournalContext,
  persistenceId: string,
  options: CallOptions,
): Promise<void> {
  const { port, table, layout } = context;
  if (layout.registryKey === undefined) return;
  const { own } = await readRegistrySlots(context, persistenceId, options);
  for (const Key of own) await port.deleteItem({ TableName: table, Key }, options);
}

/**
 * Removes the marks, and then, in one transaction, the writer item and the low mark with the highest sequence number. A
 * delete in flight fails because the writer item is gone, and a later one finds a new id.
 */
async function removeSmallItems(
  context: JournalContext,
  persistenceId: string,
  { low }: Position,
  options: Call,
): Promise<void> {
  const { port, table, layout } = context;
  const { high, low: lowKeys, unused = [] } = layout.markKeys(persistenceId);
  const writer = layout.writerKey(persistenceId);
  const last = distinct([writer, layout.lowMark(persistenceId, low).key]);
  const lastTexts = last.map(textOf);
  const others = distinct([...high, ...lowKeys, ...unused]).filter((key) => !lastTexts.includes(textOf(key)));
  // Most marks of an id do not exist, and reading is cheaper than deleting. A mark that is just becoming visible must
  // be removed too.
  const items = await readTogether(context, others, options);
  const entries = async function* (): AsyncGenerator<BatchWriteEntry> {
    for (const [at, key] of others.entries()) if (items[at] !== undefined) yield { table, delete: key };
  };
  await writeAll(context, entries(), options);
  const TransactItems = last.map((Key) => ({ Delete: { TableName: table, Key } }));
  await sendIdempotent(context, options, (call) =>
    last.length === 1
      ? port.deleteItem({ TableName: table, Key: writer }, call)
      : port.transactWriteItems({ TransactItems }, call),
  );
}

function distinct(keys: readonly Key[]): readonly Key[] {
  return [...new Map(keys.map((key) => [textOf(key), key])).values()];
}

function textOf(key: Key): string {
  return JSON.stringify(key);
}
