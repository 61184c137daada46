import { itemSize, maxTransactActions, maxTransactBytes } from "@tablekeep/client";
import type { TransactWriteItem } from "@tablekeep/core";
import { isShared, type JournalContext } from "../context/journal-context.ts";
import { markUpdate } from "../protocol/marks.ts";
import { registryPut } from "../protocol/registry.ts";
import { allOf, notDeleted, unchanged } from "../protocol/writer-item.ts";
import type { PreparedWrite } from "./prepare-write.ts";
import type { WriterSession } from "./writer-session.ts";

/** The actions in the transaction of an append beside its rows, and the meaning of each one's failure. */
export interface ExtraAction {
  readonly kind: "mark" | "fence" | "registry" | "caller" | "commit";
  readonly action: TransactWriteItem;
}

/** The actions beside the rows. `probe` moves the registry row on if another id has its place. */
export function extraActions(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  probe: number,
): ExtraAction[] {
  const extras: ExtraAction[] = [];
  if (write.mark !== undefined)
    extras.push({ kind: "mark", action: { Update: markUpdate(context.table, write.mark, write) } });
  const registry = session.registered ? undefined : registryPut(context, write.persistenceId, probe);
  if (registry !== undefined) extras.push({ kind: "registry", action: { Put: registry } });
  for (const action of write.alsoWrite) extras.push({ kind: "caller", action });
  return extras;
}

/**
 * What an append checks in the writer item: under strict fencing that no other writer has taken over the id, and where deletes leave
 * no tombstones that its numbers are not deleted.
 */
export function fenceActions(
  context: JournalContext,
  session: WriterSession,
  { persistenceId, first }: PreparedWrite,
): ExtraAction[] {
  const epoch = { expression: "epoch = :epoch", values: { ":epoch": { N: String(session.epoch) } } };
  const conditions = [
    ...(context.fencing === "strict" ? [epoch] : []),
    ...(isShared(context) ? [notDeleted(first)] : []),
  ];
  if (conditions.length === 0) return [];
  const ConditionCheck = {
    TableName: context.table,
    Key: context.layout.writerKey(persistenceId),
    ...allOf(...conditions),
  };
  return [{ kind: "fence", action: { ConditionCheck } }];
}

/** The check that the stage of a write is still recorded, and its numbers are not deleted. */
export function stageCheck(
  { table, layout }: JournalContext,
  { persistenceId, writeId, first }: PreparedWrite,
): ExtraAction {
  const recorded = { expression: "stage.wid = :wid", values: { ":wid": { S: writeId } } };
  const ConditionCheck = {
    TableName: table,
    Key: layout.writerKey(persistenceId),
    ...allOf(recorded, notDeleted(first)),
  };
  return { kind: "fence", action: { ConditionCheck } };
}

/** What makes a staged batch count: its commit record, if its stage is still recorded and the epoch is still mine. */
export function commitActions(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
): ExtraAction[] {
  const { table, layout } = context;
  const { persistenceId, writeId, first, last } = write;
  const mine = unchanged({ epoch: session.epoch, stage: write });
  const next = { ":next": { N: String(session.epoch + 1) } };
  const condition = isShared(context) ? allOf(mine, notDeleted(first)) : allOf(mine);
  const Put = {
    TableName: table,
    Item: { ...layout.commitKey(persistenceId, first), wid: { S: writeId }, last: { N: String(last) } },
  };
  const Update = {
    TableName: table,
    Key: layout.writerKey(persistenceId),
    // Whatever clears a stage raises the epoch, so that a late copy of the record is rejected.
    UpdateExpression: "SET epoch = :next REMOVE stage",
    ConditionExpression: condition.ConditionExpression,
    ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ...next },
  };
  return [
    { kind: "commit", action: { Put } },
    { kind: "fence", action: { Update } },
  ];
}

/** Left to what DynamoDB counts of an update beyond its key and values, in bytes an action. */
const reservedBytes = 2048;

/** How many rows of a write, the lowest first, fit into one transaction beside these actions. */
export function rowsThatFit({ sizes }: PreparedWrite, extras: readonly ExtraAction[]): number {
  let bytes = extras.reduce((total, { action }) => total + actionBytes(action), 0);
  let rows = 0;
  for (const size of sizes) {
    bytes += size;
    if (rows + extras.length >= maxTransactActions || bytes > maxTransactBytes) break;
    rows++;
  }
  return rows;
}

function actionBytes({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): number {
  const other = Update ?? Delete ?? ConditionCheck;
  if (Put !== undefined) return itemSize(Put.Item ?? {});
  return itemSize(other?.Key ?? {}) + itemSize(other?.ExpressionAttributeValues ?? {}) + reservedBytes;
}
