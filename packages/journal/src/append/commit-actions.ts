import type { JournalContext } from "../journal-context.ts";
import type { ExtraAction } from "./extra-actions.ts";
import type { PreparedWrite } from "./prepared-write.ts";
import { unchanged } from "./writer-item.ts";
import type { WriterSession } from "./writer-session.ts";

/** What makes a staged batch count: its commit record, if its stage is still recorded and the epoch is still mine. */
export function commitActions(
  { table, layout }: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
): ExtraAction[] {
  const { persistenceId, writeId, first, last } = write;
  const condition = unchanged({ epoch: session.epoch, stage: write });
  const Put = {
    TableName: table,
    Item: { ...layout.commitKey(persistenceId, first), wid: { S: writeId }, last: { N: String(last) } },
  };
  const Update = {
    TableName: table,
    Key: layout.writerKey(persistenceId),
    // Whatever clears a stage raises the epoch, so that a late copy of the record is refused.
    UpdateExpression: "SET epoch = :next REMOVE stage",
    ConditionExpression: condition.expression,
    ExpressionAttributeValues: { ...condition.values, ":next": { N: String(session.epoch + 1) } },
  };
  return [
    { kind: "commit", action: { Put } },
    { kind: "fence", action: { Update } },
  ];
}
