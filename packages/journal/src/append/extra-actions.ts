import type { TransactWriteItem } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import type { MarkWrite } from "../layouts/layout.ts";
import { registryPut } from "../registry/registry-put.ts";
import type { PreparedWrite } from "./prepared-write.ts";
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
    extras.push({ kind: "mark", action: { Update: markUpdate(context.table, write.mark) } });
  const registry = session.registered ? undefined : registryPut(context, write.persistenceId, probe);
  if (registry !== undefined) extras.push({ kind: "registry", action: { Put: registry } });
  for (const action of write.alsoWrite) extras.push({ kind: "caller", action });
  return extras;
}

/** The check, under strict fencing, that nobody has taken the id over. */
export function fenceActions(context: JournalContext, session: WriterSession): ExtraAction[] {
  if (context.fencing !== "strict") return [];
  const ConditionCheck = {
    TableName: context.table,
    Key: context.layout.writerKey(session.persistenceId),
    ConditionExpression: "epoch = :epoch",
    ExpressionAttributeValues: { ":epoch": { N: String(session.epoch) } },
  };
  return [{ kind: "fence", action: { ConditionCheck } }];
}

/** Marks are only ever raised. An update, because a mark may share its item with others. */
export function markUpdate(
  TableName: string,
  { key, attribute, value }: MarkWrite,
): NonNullable<TransactWriteItem["Update"]> {
  return {
    TableName,
    Key: key,
    UpdateExpression: "SET #mark = :value",
    ConditionExpression: "attribute_not_exists(#mark) OR #mark <= :value",
    ExpressionAttributeNames: { "#mark": attribute },
    ExpressionAttributeValues: { ":value": { N: String(value) } },
  };
}
