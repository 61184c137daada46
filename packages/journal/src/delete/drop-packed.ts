import type { Item, PutItemInput } from "@tablekeep/core";
import { pauseBeforeRetry, sendIdempotent } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { firstOfBatchEndingAt, isEvent, itemRows, itemSpan } from "../protocol/item-rows.ts";
import { readItem } from "../protocol/judge-occupant.ts";
import { readCommitState } from "../protocol/liveness.ts";
import { encodePackedItem, packedHead, packedNames } from "../rows/packed-item.ts";
import { encodeTombstone, tombstoneNames } from "../rows/tombstone.ts";

/** What a deletion does with one item of the packed layout. */
export interface PackedDrop {
  readonly persistenceId: string;
  /** The low mark: everything below it is deleted. */
  readonly lowest: number;
  readonly expiresAt: number;
  /** Whether the items that were just read are still of the life whose events are deleted. */
  readonly isStillDeleted: () => Promise<boolean>;
  /** Lets the commit record of a staged batch expire together with its last item. */
  readonly keepRecord: (item: Item) => Promise<void>;
}

/**
 * Drops what is deleted of an item. One whose events are all deleted becomes a tombstone that says how far it went; one
 * that the low mark cuts is written again without the events below it, at the same key. A compaction may change the item or move
 * its events meanwhile: then it is read again, or the item that has them now is.
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
    // It has changed, and is read again at once; only one that changes on and on is waited for.
    if (retry > 0) await pauseBeforeRetry(context, retry, options);
    item = await readItem(context, persistenceId, key, options);
    if (!(await drop.isStillDeleted())) return;
  }
}

/** Drops it as it was read. False if it has changed since. */
async function dropOnce(
  context: JournalContext,
  drop: PackedDrop,
  item: Item,
  options: Call,
): Promise<boolean> {
  const { port, table, layout } = context;
  const { persistenceId, lowest, expiresAt } = drop;
  const { first, last, writeFirst } = itemSpan(context, persistenceId, item);
  if (item["staged"]?.BOOL === true) {
    const { stage, committed } = await readCommitState(context, persistenceId, writeFirst, options);
    const writeId = item[packedNames.writeId]?.S;
    if (stage?.writeId === writeId) return true;
    // It never counted, and its numbers are another's: a tombstone of it would say that they are taken up to its last.
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
    logger.warn("an item is corrupt: what is deleted of it is left in it", { error });
    return true;
  }
  const kept = rows.filter(isEvent).filter(({ sequenceNr }) => sequenceNr >= lowest);
  if (kept.length === rows.length || kept.length === 0) return true;
  const attributes = encodePackedItem(kept, packedHead(item), first);
  const staged = item["staged"] && { staged: item["staged"] };
  const Item = { ...layout.eventKey(persistenceId, first), ...attributes, ...staged };
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

/** The condition that an item is as it was read: its checksum covers all that it says. */
export function isUnchanged(
  item: Item,
): Pick<PutItemInput, "ConditionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"> {
  const told = [packedNames.writeId, packedNames.checksum].filter((name) => item[name] !== undefined);
  const conditions = ["attribute_not_exists(#tomb)", ...told.map((name) => `#${name} = :${name}`)];
  return {
    ConditionExpression: conditions.join(" AND "),
    ExpressionAttributeNames: {
      "#tomb": tombstoneNames.mark,
      ...Object.fromEntries(told.map((name) => [`#${name}`, name])),
    },
    ...(told.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(told.map((name) => [`:${name}`, item[name]])) as Item,
    }),
  };
}
