import { type CallOptions, isDynamoError, isTablekeepError } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { readWriter } from "./judge-occupant.ts";
import { type Stage, unchanged, type WriterState } from "./writer-item.ts";

/** Takes a stage out of the writer item, if it is still there. Its commit is then refused for ever. */
export async function clearStage(
  context: JournalContext,
  persistenceId: string,
  stage: Stage,
  options: CallOptions,
): Promise<void> {
  const state = await readWriter(context, persistenceId, options);
  if (state.stage?.writeId !== stage.writeId) return;
  await raiseEpoch(context, persistenceId, state, options);
}

/** Raises the epoch and clears the stage. False if the writer item has changed since it was read. */
export async function raiseEpoch(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  state: WriterState,
  options: CallOptions,
): Promise<boolean> {
  const condition = unchanged(state);
  try {
    await port.updateItem(
      {
        TableName: table,
        Key: layout.writerKey(persistenceId),
        UpdateExpression: "SET epoch = :next REMOVE stage",
        ConditionExpression: condition.expression,
        ExpressionAttributeValues: { ...condition.values, ":next": { N: String(state.epoch + 1) } },
      },
      options,
    );
    return true;
  } catch (error) {
    // Refused, or its answer lost: in both cases the caller reads again and sees.
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    if (isTablekeepError(error) && error.ambiguous) return false;
    throw error;
  }
}

/** Removes the rows of a cleared stage: each only while it is still that stage's. */
export async function removeStagedRows(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  { writeId, first, last }: Stage,
  options: CallOptions,
): Promise<void> {
  for (let sequenceNr = last; sequenceNr >= first; sequenceNr--) {
    try {
      await port.deleteItem(
        {
          TableName: table,
          Key: layout.eventKey(persistenceId, sequenceNr),
          ConditionExpression: "wid = :wid AND staged = :true",
          ExpressionAttributeValues: { ":wid": { S: writeId }, ":true": { BOOL: true } },
        },
        options,
      );
    } catch (error) {
      if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    }
  }
}
