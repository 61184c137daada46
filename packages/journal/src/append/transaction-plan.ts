import { itemSize, maxTransactActions, maxTransactBytes } from "@tablekeep/client";
import type { TransactWriteItem } from "@tablekeep/core";
import { isShared, type JournalContext } from "../context/journal-context.ts";
import { markUpdate } from "../protocol/marks.ts";
import { registryPut } from "../protocol/registry.ts";
import { writeTooLarge } from "../protocol/write-errors.ts";
import { allOf, notDeleted, unchanged } from "../protocol/writer-item.ts";
import type { PreparedWrite } from "./prepare-write.ts";
import type { WriterSession } from "./writer-session.ts";

/** The actions in the transaction of an append besides its rows, and the meaning of each one's failure. */
export interface ExtraAction {
  readonly kind: "mark" | "fence" | "registry" | "caller" | "commit";
  readonly action: TransactWriteItem;
}

/** How to send a write, with the actions besides its rows. */
export type WritePlan =
  | { readonly how: "put" }
  | { readonly how: "transaction"; readonly extras: readonly ExtraAction[] }
  /** `extras` are those of the commit, which also puts the `lowest` rows. */
  | { readonly how: "staged"; readonly lowest: number; readonly extras: readonly ExtraAction[] };

/**
 * One put if that is sufficient, one transaction if necessary, a staged batch if no transaction is large enough. Throws if the caller's
 * additions leave no space for the rows.
 */
export function planWrite(context: JournalContext, session: WriterSession, write: PreparedWrite): WritePlan {
  const { items, alsoWrite } = write;
  const extras = extraActions(context, session, write);
  const fences = fenceActions(context, session, write);
  if (items.length === 1 && extras.length === 0 && fences.length === 0) return { how: "put" };
  const plain = [...extras, ...fences];
  if (rowsThatFit(write, plain) === items.length) return { how: "transaction", extras: plain };
  const committing = [...commitActions(context, session, write), ...extras];
  const lowest = rowsThatFit(write, committing);
  if (alsoWrite.length === 0 || (items.length > 1 && lowest > 0))
    return { how: "staged", lowest, extras: committing };
  const needed = items.length === 1 ? plain : committing;
  throw writeTooLarge(write, needed.length + 1, maxTransactActions);
}

/** The same actions with the registry row at another place, because a different id uses the previous one. */
export function withRegistryAt(
  context: JournalContext,
  { persistenceId }: PreparedWrite,
  extras: readonly ExtraAction[],
  probe: number,
): ExtraAction[] {
  return extras.flatMap((extra) => {
    if (extra.kind !== "registry") return [extra];
    const Put = registryPut(context, persistenceId, probe);
    return Put === undefined ? [] : [{ kind: "registry", action: { Put } }];
  });
}

function extraActions(context: JournalContext, session: WriterSession, write: PreparedWrite): ExtraAction[] {
  const extras: ExtraAction[] = [];
  if (write.mark !== undefined)
    extras.push({ kind: "mark", action: { Update: markUpdate(context.table, write.mark, write) } });
  const registry = session.registered ? undefined : registryPut(context, write.persistenceId, 0);
  if (registry !== undefined) extras.push({ kind: "registry", action: { Put: registry } });
  for (const action of write.alsoWrite) extras.push({ kind: "caller", action });
  return extras;
}

/**
 * What an append checks in the writer item: under strict fencing that no other writer has taken over the id, and where deletes leave
 * no tombstones that its numbers are not deleted.
 */
function fenceActions(
  context: JournalContext,
  session: WriterSession,
  { persistenceId, first }: PreparedWrite,
): ExtraAction[] {
  if (context.fencing !== "strict" && !isShared(context)) return [];
  const epoch = { expression: "epoch = :epoch", values: { ":epoch": { N: String(session.epoch) } } };
  const conditions = [
    ...(context.fencing === "strict" ? [epoch] : []),
    ...(isShared(context) ? [notDeleted(first)] : []),
  ];
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

/**
 * The commit of a staged batch: its commit record, if the stage is still recorded and the epoch is still this writer's.
 */
function commitActions(context: JournalContext, session: WriterSession, write: PreparedWrite): ExtraAction[] {
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
    // Clearing a stage raises the epoch, so that a late copy of the record is rejected.
    UpdateExpression: "SET epoch = :next REMOVE stage",
    ConditionExpression: condition.ConditionExpression,
    ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ...next },
  };
  return [
    { kind: "commit", action: { Put } },
    { kind: "fence", action: { Update } },
  ];
}

/** Bytes per action reserved for what DynamoDB counts for an update beyond its key and values. */
const reservedBytes = 2048;

/** The number of rows of a write, lowest first, that fit into one transaction with these actions. */
function rowsThatFit({ sizes }: PreparedWrite, extras: readonly ExtraAction[]): number {
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
