import { isDynamoError } from "@tablekeep/core";
import { isShared, type JournalCall, type JournalContext } from "../journal-context.ts";
import { notWritten } from "../journal-refusals.ts";
import { abandonStage } from "./abandon-stage.ts";
import { inParallel } from "./in-parallel.ts";
import { readWriter } from "./judge-occupant.ts";
import { deadlineExceeded } from "./pause-before-retry.ts";
import type { PreparedWrite } from "./prepared-write.ts";
import { sendSingle } from "./send-single.ts";
import { sendCommit, sendStagedRow } from "./send-transaction.ts";
import { type Settled, settle } from "./settle.ts";
import { allOf, notDeleted, stageValue, unchanged } from "./writer-item.ts";
import type { WriterSession } from "./writer-session.ts";

/**
 * Writes more events than one transaction holds, all or none:
 * 1. the writer item records the stage; 2. all rows but the `lowest` are put, marked as staged; 3. one transaction puts
 * the lowest rows and the commit record, and clears the stage. That is the commit point: before it no row counts.
 */
export async function sendStaged(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  lowest: number,
  options: JournalCall,
): Promise<Settled> {
  let settled = await recordStage(context, session, write, options);
  const inDoubt = settled.kind === "unknown";
  if (settled.kind === "ok") settled = await stageRows(context, write, lowest, options);
  if (settled.kind === "ok" && options.isOver) settled = tooLate();
  if (settled.kind !== "ok") {
    await abandonStage(context, session, write, inDoubt, options);
    // The commit was never sent, and nobody else sends it: nothing of this write can count any more.
    if (settled.kind === "unknown") return { kind: "rejected", error: notWritten(write, settled.error) };
    return settled;
  }
  const committed = await sendCommit(context, session, write, lowest, options);
  if (committed.kind === "ok") session.epoch++;
  else if (committed.kind !== "unknown") await abandonStage(context, session, write, inDoubt, options);
  return committed;
}

function recordStage(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  options: JournalCall,
): Promise<Settled> {
  const { port, table, layout } = context;
  const { persistenceId, writeId } = write;
  const free = unchanged({ epoch: session.epoch, stage: undefined });
  const condition = isShared(context) ? allOf(free, notDeleted(write.first)) : allOf(free);
  return settle(
    {
      send: (call) =>
        port.updateItem(
          {
            TableName: table,
            Key: layout.writerKey(persistenceId),
            UpdateExpression: "SET epoch = :epoch, stage = :stage",
            ConditionExpression: condition.ConditionExpression,
            ExpressionAttributeValues: {
              ...condition.ExpressionAttributeValues,
              ":stage": stageValue(write),
            },
          },
          // Its own success makes its condition fail: to send it twice is to send it once.
          { ...call, idempotent: true },
        ),
      look: async (call) => (await readWriter(context, persistenceId, call)).stage?.writeId === writeId,
      judge: async (error, _inDoubt, call) => {
        if (!isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
        const { epoch, stage, low } = await readWriter(context, persistenceId, call);
        if (stage?.writeId === writeId) return { kind: "mine" };
        // Neither ever goes down.
        const isOver = epoch > session.epoch || (isShared(context) && low > write.first);
        return isOver ? { kind: "others", error } : { kind: "passing", error };
      },
    },
    context,
    options,
  );
}

async function stageRows(
  context: JournalContext,
  write: PreparedWrite,
  lowest: number,
  options: JournalCall,
): Promise<Settled> {
  let failed: Settled | undefined;
  const last = write.items.length - 1;
  // Without tombstones nothing but the check refuses a late copy of a row that is deleted meanwhile.
  const send = (at: number) =>
    isShared(context)
      ? sendStagedRow(context, write, at, options)
      : sendSingle(context, write, at, true, options);
  await inParallel(write.items.length - lowest, async (at) => {
    const settled = options.isOver ? tooLate() : await send(last - at);
    if (settled.kind !== "ok") failed ??= settled;
    return settled.kind === "ok";
  });
  return failed ?? { kind: "ok" };
}

function tooLate(): Settled {
  return { kind: "rejected", error: deadlineExceeded(0) };
}
