import { type CallOptions, isDynamoError, isTablekeepError } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { inParallel } from "./in-parallel.ts";
import { readCommitState } from "./is-live.ts";
import { type Stage, unchanged, type WriterState } from "./writer-item.ts";

/** Raises the epoch and clears the stage. False if the writer item has changed since it was read, or may have. */
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
    // Refused, its answer lost, or in the way of another's transaction: the caller reads again and sees.
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    if (isTablekeepError(error) && (error.ambiguous || error.retryable)) return false;
    throw error;
  }
}

/**
 * Removes the rows of a stage that somebody cleared, or may have, unless it was committed: a stage that at one moment is
 * neither recorded nor named by its commit record never will be.
 */
export async function removeIfDead(
  context: JournalContext,
  persistenceId: string,
  stage: Stage,
  options: CallOptions,
): Promise<void> {
  const { writeId, first } = stage;
  const { stage: recorded, committed } = await readCommitState(context, persistenceId, first, options);
  if (recorded?.writeId === writeId || committed === writeId) return;
  await removeStagedRows(context, persistenceId, stage, options);
}

/** Removes the rows of a stage that was surely cleared: each only while it is still that stage's. */
export async function removeStagedRows(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  { writeId, first, last }: Stage,
  options: CallOptions,
): Promise<void> {
  await inParallel(last - first + 1, async (at) => {
    try {
      await port.deleteItem(
        {
          TableName: table,
          Key: layout.eventKey(persistenceId, last - at),
          ConditionExpression: "wid = :wid AND staged = :true",
          ExpressionAttributeValues: { ":wid": { S: writeId }, ":true": { BOOL: true } },
        },
        // A second copy finds nothing that is still this stage's.
        { ...options, idempotent: true },
      );
    } catch (error) {
      if (!isDynamoError(error, "ConditionalCheckFailedException")) throw error;
    }
    return true;
  });
}
