import { type CallOptions, type Item, isTablekeepError, type PutItemInput } from "@tablekeep/core";
import { sendIdempotent } from "../context/calls.ts";
import type { JournalContext } from "../context/journal-context.ts";
import { isUnchanged } from "../delete/drop-packed.ts";
import { isEvent, itemRows, itemSpan } from "../protocol/item-rows.ts";
import { readMarks } from "../protocol/marks.ts";
import { settledPosition } from "../protocol/position.ts";
import { readItems } from "../protocol/read-rows.ts";
import { writeRow } from "../protocol/row-item.ts";
import { type EventRow, isExpired, isRemoved } from "../rows/event-row.ts";
import { rewritePackedItem } from "../rows/packed-item.ts";
import type { RowFormat } from "../rows/row-format.ts";
import { withoutData } from "./remove-payload.ts";

/**
 * Removes the data of the expired events of an id, and returns how many. Items stay where they are: their keys, numbers and write ids do not
 * change, so concurrent writers, readers, deletions and compactions are not affected. An item that another changes meanwhile is
 * left for the next run.
 */
export async function expireId(
  context: JournalContext,
  persistenceId: string,
  call: CallOptions,
): Promise<number> {
  const { low } = await readMarks(context, persistenceId, call);
  const { highest } = await settledPosition(context, persistenceId, call);
  const now = context.clock.now();
  let expired = 0;
  for await (const page of readItems(context, persistenceId, { from: Math.max(1, low), to: highest }, call))
    for (const item of page) expired += await expireItem(context, persistenceId, item, now, call);
  return expired;
}

/** Removes the data of the expired events of an item. Returns how many there were, 0 if the item has changed or is corrupt. */
async function expireItem(
  context: JournalContext,
  persistenceId: string,
  item: Item,
  now: number,
  call: CallOptions,
): Promise<number> {
  let rows: readonly EventRow[];
  try {
    rows = itemRows(context, persistenceId, item).filter(isEvent);
  } catch (error) {
    if (!isTablekeepError(error)) throw error;
    context.logger.warn("an item is corrupt: its expired events stay in it", { persistenceId, error });
    return 0;
  }
  const isDue = (row: EventRow) => isExpired(row, now) && !isRemoved(row);
  const due = rows.filter(isDue).length;
  if (due === 0) return 0;
  const kept: EventRow[] = [];
  for (const row of rows) kept.push(isDue(row) ? await withoutData(context.codecs, row) : row);
  const isDone =
    context.layout.packed === undefined
      ? await updateRow(context, item, kept[0] as EventRow, call)
      : await replaceItem(context, persistenceId, item, kept, call);
  return isDone ? due : 0;
}

async function replaceItem(
  context: JournalContext,
  persistenceId: string,
  item: Item,
  rows: readonly EventRow[],
  options: CallOptions,
): Promise<boolean> {
  const { port, table, layout } = context;
  const { first } = itemSpan(context, persistenceId, item);
  const Item = { ...layout.eventKey(persistenceId, first), ...rewritePackedItem(item, rows, first) };
  const input: PutItemInput = { TableName: table, Item, ...isUnchanged(item) };
  return sendIdempotent(context, options, (call) => port.putItem(input, call));
}

/** Changes only the attributes that hold the data: confirmations and soft deletions of the scattered layout may change meanwhile. */
async function updateRow(
  context: JournalContext,
  item: Item,
  row: EventRow,
  options: CallOptions,
): Promise<boolean> {
  const { port, table, layout, messageNames } = context;
  const fresh = writeRow(context, row, formatOf(item));
  const names = ["event", "ev_ser_id", "ev_ser_manifest", "pay", messageNames.payload, "crc", "sum"];
  const all = [...names, "meta", "meta_ser_id", "meta_ser_manifest"];
  const set = all.filter((name) => fresh[name] !== undefined);
  const removed = all.filter((name) => fresh[name] === undefined && item[name] !== undefined);
  const condition = isUnchanged(item);
  const input = {
    TableName: table,
    Key: layout.eventKey(row.persistenceId, row.sequenceNr),
    UpdateExpression: [
      `SET ${set.map((name) => `#s_${name} = :s_${name}`).join(", ")}`,
      ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#s_${name}`).join(", ")}`] : []),
    ].join(" "),
    ...condition,
    ExpressionAttributeNames: {
      ...condition.ExpressionAttributeNames,
      ...Object.fromEntries([...set, ...removed].map((name) => [`#s_${name}`, name])),
    },
    ExpressionAttributeValues: {
      ...condition.ExpressionAttributeValues,
      ...(Object.fromEntries(set.map((name) => [`:s_${name}`, fresh[name]])) as Item),
    },
  };
  return sendIdempotent(context, options, (call) => port.updateItem(input, call));
}

function formatOf(item: Item): RowFormat {
  if (item["event"]?.B !== undefined) return "event";
  return item["pay"]?.B !== undefined ? "pay" : "message";
}
