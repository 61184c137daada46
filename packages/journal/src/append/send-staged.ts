import { itemSize, maxTransactActions, maxTransactBytes } from "@tablekeep/client";
import { type CallOptions, isDynamoError, type TransactWriteItem } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";
import { clearStage, removeStagedRows } from "./clear-stage.ts";
import { extraActions } from "./extra-actions.ts";
import { commitWriteId } from "./is-live.ts";
import { type DeadRows, readWriter } from "./judge-occupant.ts";
import type { PreparedWrite } from "./prepared-write.ts";
import { rowPut } from "./row-put.ts";
import { sendSingle } from "./send-single.ts";
import { judgeRows } from "./send-transaction.ts";
import { type Settled, settle } from "./settle.ts";
import { stageValue, unchanged } from "./writer-item.ts";
import type { WriterSession } from "./writer-session.ts";

/** How many rows are staged at once. */
const stagingParallelism = 8;

/**
 * Writes more events than one transaction holds, all or none:
 * 1. the writer item records the stage; 2. all rows but the lowest are put, marked as staged; 3. one transaction puts the
 * lowest rows and the commit record, and clears the stage. That is the commit point: before it no row counts.
 */
export async function sendStaged(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  options: CallOptions,
): Promise<Settled> {
  const recorded = await recordStage(context, session, write, options);
  if (recorded.kind !== "ok") {
    await abandon(context, write, options);
    return recorded.kind === "rejected" ? recorded : { ...recorded, kind: "conflict" };
  }
  const lowest = lowestRows(context, session, write);
  const staged = await stageRows(context, write, lowest, options);
  if (staged.kind !== "ok") {
    // The commit was never sent, and nobody else sends it: nothing of this write can count any more.
    await abandon(context, write, options);
    return staged.kind === "rejected" ? staged : { ...staged, kind: "conflict" };
  }
  const committed = await commitStage(context, session, write, lowest, options);
  if (committed.kind === "ok") session.epoch++;
  else if (committed.kind !== "unknown") await abandon(context, write, options);
  return committed;
}

function recordStage(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  options: CallOptions,
): Promise<Settled> {
  const { port, table, layout } = context;
  const { persistenceId, writeId } = write;
  const condition = unchanged({ epoch: session.epoch, stage: undefined });
  return settle(
    {
      send: (call) =>
        port.updateItem(
          {
            TableName: table,
            Key: layout.writerKey(persistenceId),
            UpdateExpression: "SET epoch = :epoch, stage = :stage",
            ConditionExpression: condition.expression,
            ExpressionAttributeValues: { ...condition.values, ":stage": stageValue(write) },
          },
          // Its own success makes its condition fail: to send it twice is to send it once.
          { ...call, idempotent: true },
        ),
      look: async (call) => (await readWriter(context, persistenceId, call)).stage?.writeId === writeId,
      judge: async (error, _inDoubt, call) => {
        if (!isDynamoError(error, "ConditionalCheckFailedException")) return undefined;
        const { epoch, stage } = await readWriter(context, persistenceId, call);
        if (stage?.writeId === writeId) return { kind: "mine" };
        return epoch > session.epoch ? { kind: "others", error } : { kind: "passing", error };
      },
    },
    { ...context, options, deadlineMs: options.deadlineMs ?? context.deadlineMs },
  );
}

/** How many of the lowest rows fit into the committing transaction beside what else it holds. */
function lowestRows(context: JournalContext, session: WriterSession, write: PreparedWrite): number {
  const others = extraActions(context, session, write, 0).filter(({ kind }) => kind !== "fence").length + 2;
  let bytes = 0;
  let rows = 0;
  for (const attributes of write.attributes) {
    bytes += itemSize(attributes) + 4096;
    if (rows + others >= maxTransactActions || bytes > maxTransactBytes) break;
    rows++;
  }
  return Math.max(1, rows);
}

async function stageRows(
  context: JournalContext,
  write: PreparedWrite,
  lowest: number,
  options: CallOptions,
): Promise<Settled> {
  let next = write.rows.length - 1;
  let failed: Settled | undefined;
  const worker = async () => {
    while (next >= lowest && failed === undefined) {
      const settled = await sendSingle(context, write, next--, true, options);
      if (settled.kind !== "ok") failed ??= settled;
    }
  };
  await Promise.all(Array.from({ length: stagingParallelism }, worker));
  return failed ?? { kind: "ok" };
}

function commitStage(
  context: JournalContext,
  session: WriterSession,
  write: PreparedWrite,
  lowest: number,
  options: CallOptions,
): Promise<Settled> {
  const { port, table, layout } = context;
  const { persistenceId, writeId, first, last } = write;
  const dead: DeadRows = new Map();
  const extras = extraActions(context, session, write, 0).filter(({ kind }) => kind !== "fence");
  const condition = unchanged({ epoch: session.epoch, stage: write });
  const finish: TransactWriteItem[] = [
    {
      Put: {
        TableName: table,
        Item: { ...layout.commitKey(persistenceId, first), wid: { S: writeId }, last: { N: String(last) } },
      },
    },
    {
      Update: {
        TableName: table,
        Key: layout.writerKey(persistenceId),
        // Whatever clears a stage raises the epoch, so that a late copy of the record is refused.
        UpdateExpression: "SET epoch = :next REMOVE stage",
        ConditionExpression: condition.expression,
        ExpressionAttributeValues: { ...condition.values, ":next": { N: String(session.epoch + 1) } },
      },
    },
  ];
  return settle(
    {
      send: (call) => {
        const rows = write.rows.slice(0, lowest).map(
          (_row, at): TransactWriteItem => ({
            Put: rowPut(context, write, at, dead, true),
          }),
        );
        const TransactItems = [...rows, ...finish, ...extras.map(({ action }) => action)];
        return port.transactWriteItems({ TransactItems }, call);
      },
      look: async (call) => (await commitWriteId(context, persistenceId, first, call)) === writeId,
      judge: async (error, _inDoubt, call) => {
        if (!isDynamoError(error, "TransactionCanceledException")) return undefined;
        if ((await commitWriteId(context, persistenceId, first, call)) === writeId) return { kind: "mine" };
        const reasons = error.details.cancellationReasons ?? [];
        const rows = await judgeRows(context, write, reasons.slice(0, lowest), error, dead, call);
        if (rows !== undefined) return rows;
        // The stage is no longer mine: a successor cleared it, and raised the epoch.
        const lost = reasons.slice(lowest).some(({ Code }) => Code === "ConditionalCheckFailed");
        return lost ? { kind: "others", error } : { kind: "again" };
      },
    },
    { ...context, options, deadlineMs: options.deadlineMs ?? context.deadlineMs },
  );
}

/** Takes back what was staged. Best effort: whoever recovers next does the same. */
async function abandon(context: JournalContext, write: PreparedWrite, options: CallOptions): Promise<void> {
  try {
    await clearStage(context, write.persistenceId, write, options);
    await removeStagedRows(context, write.persistenceId, write, options);
  } catch (error) {
    context.logger.warn("an abandoned batch is left for the next recovery", { error });
  }
}
