import type { TransactWriteItem } from "@tablekeep/core";
import { isShared, type JournalContext } from "../journal-context.ts";
import type { MarkWrite } from "../layouts/layout.ts";
import { registryPut } from "../registry/registry-put.ts";
import type { PreparedWrite } from "./prepared-write.ts";
import { allOf, notDeleted } from "./writer-item.ts";
import type { WriterSession } from "./writer-session.ts";

/** What goes into the transaction of an append beside its rows, and what a refusal of each means. */
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
 * What an append checks in the writer item: under strict fencing that nobody has taken the id over, and where deletes leave
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

/**
 * Marks are only ever raised. An update, because a mark may share its item with others. A high mark that is written together
 * with the row of its number gets the write id: where that row is missing later, it was lost. The original may lose a row and
 * keep the mark, which is no damage.
 */
export function markUpdate(
  TableName: string,
  { key, attribute, value }: MarkWrite,
  write?: Pick<PreparedWrite, "first" | "last" | "writeId">,
): NonNullable<TransactWriteItem["Update"]> {
  const isOfRow = write !== undefined && write.first <= value && value <= write.last;
  return {
    TableName,
    Key: key,
    UpdateExpression: isOfRow ? "SET #mark = :value, wid = :wid" : "SET #mark = :value REMOVE wid",
    ConditionExpression: `attribute_not_exists(#mark) OR #mark ${isOfRow ? "<=" : "<"} :value`,
    ExpressionAttributeNames: { "#mark": attribute },
    ExpressionAttributeValues: {
      ":value": { N: String(value) },
      ...(isOfRow && { ":wid": { S: write.writeId } }),
    },
  };
}
