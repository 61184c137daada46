import type { Item, PutItemInput } from "@tablekeep/core";
import { pauseBeforeRetry, sendIdempotent } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { isJournalError } from "../errors/journal-error.ts";
import { firstOfBatchEndingAt, isEvent, itemRows, itemSpan } from "../protocol/item-rows.ts";
import { readEventItem } from "../protocol/judge-occupant.ts";
import { readCommitState } from "../protocol/liveness.ts";
import { readItems } from "../protocol/read-rows.ts";
import { type PackedSpan, packedNames, rewritePackedItem } from "../rows/packed-item.ts";
import { encodeTombstone, tombstoneNames } from "../rows/tombstone.ts";

/** A deletion in the packed layout. */
export interface PackedDrop {
  readonly persistenceId: string;
  /** The low mark: everything below it is deleted. */
  readonly lowest: number;
  readonly expiresAt: number;
  /** Returns whether items read just now still belong to the life of the id whose events are deleted. */
  readonly isStillDeleted: () => Promise<boolean>;
  /** Lets the commit record of a staged batch expire together with its last item. */
  readonly keepRecord: (item: Item) => Promise<void>;
}

/**
 * Drops the deleted events of an item. If all are deleted, the item becomes a tombstone with its last sequence number. If only
 * some are, it is written again without them, at the same key. A compaction may change the item or move its events meanwhile:
 * then the item, or the one that has its events now, is read again.
 */
export async function dropPackedItem(
  context: JournalContext,
  drop: PackedDrop,
  listed: Item,
  options: Call,
): Promise<void> {
  const { layout } = context;
  const { persistenceId } = drop;
  let item: Item | undefined = listed;
  let key = layout.sequenceNrOf(persistenceId, listed);
  for (let retry = 0; item !== undefined; retry++) {
    if (item[tombstoneNames.mark]?.BOOL === true) {
      const into = Number(item[tombstoneNames.into]?.N ?? Number.NaN);
      // Only an item below can have the events.
      if (!(into < key)) return;
      key = into;
    } else if (await dropOnce(context, drop, item, options)) return;
    // It has changed, and is read again at once. Only if it changes repeatedly is there a pause.
    if (retry > 0) await pauseBeforeRetry(context, retry, options);
    item = await readEventItem(context, persistenceId, key, options);
    if (!(await drop.isStillDeleted())) return;
  }
}

/** Drops the deleted events of an item, unless the item has changed since it was read: then returns false. */
async function dropOnce(
  context: JournalContext,
  drop: PackedDrop,
  item: Item,
  options: Call,
): Promise<boolean> {
  const { port, table, layout } = context;
  const { persistenceId, lowest, expiresAt } = drop;
  const { first, last, writeFirst, isCorrupt } = await spanOf(context, persistenceId, item, options);
  if (item["staged"]?.BOOL === true && !isCorrupt) {
    const { stage, committed } = await readCommitState(context, persistenceId, writeFirst, options);
    const writeId = item[packedNames.writeId]?.S;
    if (stage?.writeId === writeId) return true;
    // It was never committed, and its sequence numbers may belong to another write: a tombstone would mark them as used.
    if (committed !== writeId) return removeDead(context, persistenceId, item, first, options);
  }
  if (last >= lowest) return cutItem(context, drop, item, options);
  const commitOf = firstOfBatchEndingAt(context, persistenceId, item);
  if (commitOf !== undefined) await drop.keepRecord(item);
  const tombstone = encodeTombstone({ writeId: item[packedNames.writeId]?.S, expiresAt, commitOf, last });
  const Item = { ...layout.eventKey(persistenceId, first), ...tombstone };
  const input: PutItemInput = { TableName: table, Item, ...isUnchanged(item) };
  return sendIdempotent(context, options, (call) => port.putItem(input, call));
}

/**
 * Returns the sequence numbers of an item. A corrupt one may name too few: then it ends right before the next item that surely
 * counts, so nothing of it is dropped unless everything up to there is deleted.
 */
async function spanOf(
  context: JournalContext,
  persistenceId: string,
  item: Item,
  options: Call,
): Promise<PackedSpan & { readonly isCorrupt: boolean }> {
  const span = itemSpan(context, persistenceId, item);
  try {
    itemRows(context, persistenceId, item);
    return { ...span, isCorrupt: false };
  } catch (error) {
    if (!isJournalError(error, "JOURNAL_ITEM_CORRUPT")) throw error;
  }
  const { packed } = context.layout;
  const after = { from: span.first + 1, to: Number.MAX_SAFE_INTEGER };
  for await (const page of readItems(context, persistenceId, after, options)) {
    for (const next of page) {
      const key = context.layout.sequenceNrOf(persistenceId, next);
      // Of a compaction, or of a staged write, there may be items within the numbers of this one.
      const mayLieWithin = next[tombstoneNames.mark]?.BOOL === true || next["staged"]?.BOOL === true;
      if (key > span.first && !mayLieWithin && packed?.roleOf(next) === "event")
        return { ...span, last: key - 1, isCorrupt: true };
    }
  }
  return { ...span, last: Number.MAX_SAFE_INTEGER, isCorrupt: true };
}

/** Writes an item again without its events below the low mark. */
async function cutItem(
  context: JournalContext,
  { persistenceId, lowest }: PackedDrop,
  item: Item,
  options: Call,
): Promise<boolean> {
  const { port, table, layout, logger } = context;
  const { first } = itemSpan(context, persistenceId, item);
  let rows: ReturnType<typeof itemRows>;
  try {
    rows = itemRows(context, persistenceId, item);
  } catch (error) {
    logger.warn("an item is corrupt: its deleted events stay in it", { error });
    return true;
  }
  const kept = rows.filter(isEvent).filter(({ sequenceNr }) => sequenceNr >= lowest);
  if (kept.length === rows.length || kept.length === 0) return true;
  const Item = { ...layout.eventKey(persistenceId, first), ...rewritePackedItem(item, kept, first) };
  const input: PutItemInput = { TableName: table, Item, ...isUnchanged(item) };
  return sendIdempotent(context, options, (call) => port.putItem(input, call));
}

async function removeDead(
  context: JournalContext,
  persistenceId: string,
  item: Item,
  first: number,
  options: Call,
): Promise<boolean> {
  const { port, table, layout } = context;
  const input = {
    TableName: table,
    Key: layout.eventKey(persistenceId, first),
    ConditionExpression: "wid = :wid AND staged = :true",
    ExpressionAttributeValues: { ":wid": item[packedNames.writeId] ?? { S: "" }, ":true": { BOOL: true } },
  };
  await sendIdempotent(context, options, (call) => port.deleteItem(input, call));
  return true;
}

/** Returns the condition that an item is unchanged: its checksum covers its contents. Rows of the other layouts have `sum`. */
export function isUnchanged(
  item: Item,
): Pick<PutItemInput, "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"> {
  const fields = [packedNames.writeId, packedNames.checksum, "sum"].filter(
    (name) => item[name] !== undefined,
  );
  const conditions = ["attribute_not_exists(#tomb)", ...fields.map((name) => `#${name} = :${name}`)];
  return {
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: {
      "#tomb": tombstoneNames.mark,
      ...Object.fromEntries(fields.map((name) => [`#${name}`, name])),
    },
    ...(fields.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(fields.map((name) => [`:${name}`, item[name]])) as Item,
    }),
  };
}
