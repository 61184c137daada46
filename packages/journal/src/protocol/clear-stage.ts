import type { OperationRetries } from "@tablekeep/client";
import { isDynamoError, isTablekeepError, type UpdateItemInput } from "@tablekeep/core";
import { checkTime, forEachInParallel, sendIdempotent } from "../context/calls.ts";
import type { Call, JournalContext } from "../context/journal-context.ts";
import { readCommitState } from "./liveness.ts";
import { readItems } from "./read-rows.ts";
import { type Stage, stageValue, unchanged, type WriterState } from "./writer-item.ts";

/**
 * Raises the epoch and clears the stage. The writer item records the cleared stage until its rows are removed: a batch
 * is written from its last row down, so nothing else may show how far the rows reach. A stage that is recorded already
 * must be removed first. `by` is the writer if it clears its own stage, which identifies its epoch if the response is lost.
 *
 * Returns `changed` if the writer item has changed since it was read, and `failed`, after a wait, if the request failed:
 * it may have been applied, so that the caller reads the item again in both cases.
 */
export async function clearStageAndRaiseEpoch(
  { port, table, layout }: JournalContext,
  persistenceId: string,
  state: WriterState,
  retries: OperationRetries,
  by?: string,
): Promise<"cleared" | "changed" | "failed"> {
  const condition = unchanged(state);
  const clears = state.stage === undefined ? "" : ", cleared = :cleared REMOVE stage";
  const cleared = state.stage && { ":cleared": stageValue({ ...state.stage, by }) };
  try {
    await port.updateItem(
      {
        TableName: table,
        Key: layout.writerKey(persistenceId),
        UpdateExpression: `SET epoch = :next${clears}`,
        ConditionExpression: `${condition.expression} AND attribute_not_exists(cleared)`,
        ExpressionAttributeValues: {
          ...condition.values,
          ...cleared,
          ":next": { N: String(state.epoch + 1) },
        },
      },
      retries.callOptions(),
    );
    retries.succeeded();
    return "cleared";
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return "changed";
    if (!isTablekeepError(error)) throw error;
    // The response was lost, or the request was throttled or in conflict with a transaction.
    const mayPass = error.ambiguous || error.retryable;
    if (!mayPass || !(await retries.wait(error))) throw retries.endedBy(error);
    return "failed";
  }
}

/**
 * How many rows are removed before the progress is recorded in the writer item. An item of the packed layout contains
 * many.
 */
const rowsAStep = 100;
const packedRowsAStep = 10_000;

/**
 * Removes the rows of a cleared stage, the last one first, and then its record. The record contains the progress, so that an
 * interrupted removal continues: otherwise, a batch that takes longer than a call would never be removed.
 */
export async function removeCleared(
  context: JournalContext,
  persistenceId: string,
  { writeId, first, last }: Stage,
  options: Call,
): Promise<void> {
  const step = context.layout.packed === undefined ? rowsAStep : packedRowsAStep;
  for (let left = last; ; left -= step) {
    const from = Math.max(first, left - step + 1);
    await removeStagedRows(context, persistenceId, { writeId, first: from, last: left }, options);
    const isAll = from <= first;
    const noted = await noteRemoved(context, persistenceId, writeId, isAll ? undefined : from - 1, options);
    // Unless another writer was first.
    if (isAll || !noted) return;
  }
}

/**
 * Records the last remaining row of a cleared stage, or removes the record. Returns false if the record is gone
 * already.
 */
function noteRemoved(
  context: JournalContext,
  persistenceId: string,
  writeId: string,
  last: number | undefined,
  options: Call,
): Promise<boolean> {
  const { port, table, layout } = context;
  const input: UpdateItemInput = {
    TableName: table,
    Key: layout.writerKey(persistenceId),
    ConditionExpression: "cleared.wid = :wid",
    ...(last === undefined
      ? { UpdateExpression: "REMOVE cleared", ExpressionAttributeValues: { ":wid": { S: writeId } } }
      : {
          UpdateExpression: "SET cleared.#last = :last",
          ExpressionAttributeNames: { "#last": "last" },
          ExpressionAttributeValues: { ":wid": { S: writeId }, ":last": { N: String(last) } },
        }),
  };
  // A second copy of the request records the same, or finds no record.
  return sendIdempotent(context, options, (call) => port.updateItem(input, call));
}

/**
 * Removes the rows of a stage that was or may have been cleared, unless it was committed. A stage that at one moment is
 * neither recorded nor committed will never be committed.
 */
export async function removeIfDead(
  context: JournalContext,
  persistenceId: string,
  stage: Stage,
  options: Call,
): Promise<void> {
  const { writeId, first } = stage;
  const { stage: recorded, committed } = await readCommitState(context, persistenceId, first, options);
  if (recorded?.writeId === writeId || committed === writeId) return;
  await removeStagedRows(context, persistenceId, stage, options);
}

/** Removes the rows of a stage that was certainly cleared, each only if it still belongs to that stage. */
export async function removeStagedRows(
  context: JournalContext,
  persistenceId: string,
  { writeId, first, last }: Stage,
  options: Call,
): Promise<void> {
  const { port, table, layout } = context;
  const numbers =
    layout.packed === undefined
      ? Array.from({ length: last - first + 1 }, (_unused, at) => last - at)
      : await stagedKeys(context, persistenceId, { writeId, first, last }, options);
  await forEachInParallel(numbers.length, async (at) => {
    const input = {
      TableName: table,
      Key: layout.eventKey(persistenceId, numbers[at] as number),
      ConditionExpression: "wid = :wid AND staged = :true",
      ExpressionAttributeValues: { ":wid": { S: writeId }, ":true": { BOOL: true } },
    };
    // A second copy of the request finds nothing that still belongs to this stage.
    await sendIdempotent(context, options, (call) => port.deleteItem(input, call));
    return true;
  });
}

/**
 * Returns the keys of the items of a stage in descending order. In the packed layout, most of its sequence numbers are
 * not keys.
 */
async function stagedKeys(
  context: JournalContext,
  persistenceId: string,
  { writeId, first, last }: Stage,
  options: Call,
): Promise<readonly number[]> {
  const keys: number[] = [];
  checkTime(options);
  for await (const items of readItems(context, persistenceId, { from: first, to: last }, options)) {
    checkTime(options);
    for (const item of items)
      if (item["wid"]?.S === writeId && item["staged"]?.BOOL === true)
        keys.push(context.layout.sequenceNrOf(persistenceId, item));
  }
  return keys.reverse();
}
