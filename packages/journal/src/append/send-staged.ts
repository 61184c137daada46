import { isDynamoError, type TablekeepError } from "@tablekeep/core";
import {
  checkTime,
  deadlineExceeded,
  forEachInParallel,
  pauseBeforeRetry,
  startRetries,
} from "../context/calls.ts";
import { type Call, isShared, type JournalContext } from "../context/journal-context.ts";
import { clearStageAndRaiseEpoch, removeCleared, removeStagedRows } from "../protocol/clear-stage.ts";
import { readWriter } from "../protocol/judge-occupant.ts";
import { type Settled, settle } from "../protocol/settle.ts";
import { notWritten } from "../protocol/write-errors.ts";
import { allOf, notDeleted, type Stage, stageValue, unchanged } from "../protocol/writer-item.ts";
import type { PreparedWrite } from "./prepare-write.ts";
import { sendSingle } from "./send-row.ts";
import { sendCommit, sendStagedRow } from "./send-transaction.ts";
import type { WritePlan } from "./transaction-plan.ts";
import type { WriterSession } from "./writer-session.ts";

/**
 * Removes a batch that will never be committed, as far as the call's remaining time allows: otherwise, the writer's
 * next append or the next recovery does it. They also do it after a request that failed in all its attempts: further requests would
 * prolong an outage. `inDoubt` means that its stage may still be recorded by a request in flight.
 */
async function abandonStage(
  context: JournalContext,
  session: WriterSession,
  { writeId, first, last }: Stage,
  { inDoubt, because }: { readonly inDoubt: boolean; readonly because: TablekeepError },
  options: Call,
): Promise<void> {
  session.abandoned = { writeId, first, last, inDoubt };
  if (because.retryable || because.ambiguous) return;
  try {
    await clearAbandoned(context, session, options);
  } catch (error) {
    context.logger.warn("an abandoned batch is left for the next append or recovery", { error });
  }
}

/** Removes the remains of an earlier append of this writer. */
export async function clearAbandoned(
  context: JournalContext,
  session: WriterSession,
  options: Call,
): Promise<void> {
  const { abandoned, persistenceId } = session;
  if (abandoned === undefined) return;
  const retries = startRetries(context, options);
  for (let conflicts = 0; ; ) {
    checkTime(options);
    const state = await readWriter(context, persistenceId, options);
    // Raised by this writer, with a request whose response was lost: no other writer has raised the epoch since.
    if (state.cleared?.by === session.writerUuid && state.epoch === session.epoch + 1) session.epoch++;
    if (state.cleared !== undefined) await removeCleared(context, persistenceId, state.cleared, options);
    const isMine = session.epoch === state.epoch;
    const mayCome = abandoned.inDoubt && isMine && state.stage === undefined;
    if (state.stage?.writeId !== abandoned.writeId && !mayCome) {
      // The stage was cleared, and its rows may have been removed before the last of them was written.
      await removeStagedRows(context, persistenceId, abandoned, options);
      break;
    }
    // The raised epoch also rejects a late stage record, which would block this writer.
    const raised = await clearStageAndRaiseEpoch(context, persistenceId, state, retries, session.writerUuid);
    if (raised === "cleared") {
      // Only if the epoch was this writer's until now.
      if (isMine) session.epoch++;
      // No row is put before its stage is known to be recorded.
      if (!mayCome) await removeCleared(context, persistenceId, abandoned, options);
      break;
    }
    if (raised === "changed") await pauseBeforeRetry(context, conflicts++, options);
  }
  session.abandoned = undefined;
}

/**
 * Writes more events than one transaction holds, all or none:
 * 1. the writer item records the stage; 2. all rows but the `lowest` are put, marked as staged; 3. one transaction puts
 * the lowest rows and the commit record, and clears the stage. That is the commit point: before it no row counts.
 */
export async function sendStaged(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  { lowest, extras }: Extract<WritePlan, { how: "staged" }>,
  options: Call,
): Promise<Settled> {
  let settled = await recordStage(context, session, write, options);
  const inDoubt = settled.kind === "unknown";
  if (settled.kind === "ok") settled = await stageRows(context, write, lowest, options);
  if (settled.kind === "ok" && options.isOver) settled = tooLate();
  if (settled.kind !== "ok") {
    await abandonStage(context, session, write, { inDoubt, because: settled.error }, options);
    // The commit was never sent, and only this writer sends it: no part of this write can become live.
    if (settled.kind === "unknown") return { kind: "rejected", error: notWritten(write, settled.error) };
    return settled;
  }
  const committed = await sendCommit(context, write, lowest, extras, options);
  if (committed.kind === "ok") session.epoch++;
  else if (committed.kind !== "unknown")
    await abandonStage(context, session, write, { inDoubt, because: committed.error }, options);
  return committed;
}

function recordStage(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  options: Call,
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
          // Once applied, its condition fails, so sending it twice does no harm.
          { ...call, idempotent: true },
        ),
      isStored: async (call) => (await readWriter(context, persistenceId, call)).stage?.writeId === writeId,
      judge: async (error, _inDoubt, call) => {
        if (!isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
        const { epoch, stage, low } = await readWriter(context, persistenceId, call);
        if (stage?.writeId === writeId) return { kind: "mine" };
        // Neither ever decreases.
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
  options: Call,
): Promise<Settled> {
  let failed: Settled | undefined;
  const last = write.items.length - 1;
  // Without tombstones, only this check rejects a late copy of a row that was deleted meanwhile.
  const send = (at: number) =>
    isShared(context)
      ? sendStagedRow(context, write, at, options)
      : sendSingle(context, write, at, true, options);
  await forEachInParallel(write.items.length - lowest, async (at) => {
    const settled = options.isOver ? tooLate() : await send(last - at);
    if (settled.kind !== "ok") failed ??= settled;
    return settled.kind === "ok";
  });
  return failed ?? { kind: "ok" };
}

function tooLate(): Settled {
  return { kind: "rejected", error: deadlineExceeded(0) };
}
