import { isShared, type JournalContext } from "../journal-context.ts";
import type { ExtraAction } from "./extra-actions.ts";
import type { PreparedWrite } from "./prepared-write.ts";
import { allOf, notDeleted, unchanged } from "./writer-item.ts";
import type { WriterSession } from "./writer-session.ts";

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
    // Whatever clears a stage raises the epoch, so that a late copy of the record is refused.
    UpdateExpression: "SET epoch = :next REMOVE stage",
    ConditionExpression: condition.ConditionExpression,
    ExpressionAttributeValues: { ...condition.ExpressionAttributeValues, ...next },
  };
  return [
    { kind: "commit", action: { Put } },
    { kind: "fence", action: { Update } },
  ];
}
