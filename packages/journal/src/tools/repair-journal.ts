import { type DynamoPort, isDynamoError, optionCheck } from "@tablekeep/core";
import { startRetries } from "../context/calls.ts";
import type { JournalOptions } from "../context/journal-options.ts";
import { markDeleted } from "../delete/delete-to.ts";
import { dropDeleted } from "../delete/drop-deleted.ts";
import { checkOptions } from "../errors/journal-error.ts";
import { clearStageAndRaiseEpoch, removeCleared, removeIfDead } from "../protocol/clear-stage.ts";
import { raiseHighMark, readMarks } from "../protocol/marks.ts";
import { readRegistrySlots, registerId } from "../protocol/registry.ts";
import { openToRead, openToWrite, type Tool } from "./open-tool.ts";
import type { Finding, Repair } from "./verify/finding.ts";
import {
  type VerifyOptions,
  type VerifySummary,
  verification,
  verifyOptionChecks,
} from "./verify/verify-journal.ts";

/** Makes one repair. Returns false if it is no longer needed. */
function applyRepair(tool: Tool, persistenceId: string, repair: Repair): Promise<boolean> {
  switch (repair.action) {
    case "raise-high-mark":
      return raiseHighMark(tool.context, persistenceId, { known: 0, reached: repair.to }, tool.call);
    case "clear-stage":
      return clearStage(tool, persistenceId);
    case "remove-staged-rows":
      return removeIfDead(tool.context, persistenceId, repair, tool.call).then(() => true);
    case "remove-commit-record":
      return removeCommitRecord(tool, persistenceId, repair);
    case "drop-deleted":
      return dropAgain(tool, persistenceId, repair);
    case "register":
      return registerId(tool.context, persistenceId, tool.call);
    case "unregister-duplicates":
      return unregisterDuplicates(tool, persistenceId);
  }
}

/** The writer that staged it gets a conflict when it commits, as if another writer had taken over the id. */
async function clearStage({ context, call }: Tool, persistenceId: string): Promise<boolean> {
  const { writer } = await readMarks(context, persistenceId, call);
  if (writer.cleared !== undefined) await removeCleared(context, persistenceId, writer.cleared, call);
  if (writer.stage === undefined) return false;
  const retries = startRetries(context, call);
  if ((await clearStageAndRaiseEpoch(context, persistenceId, writer, retries)) !== "cleared") return false;
  await removeCleared(context, persistenceId, writer.stage, call);
  return true;
}

async function removeCommitRecord(
  { context: { port, table, layout }, call }: Tool,
  persistenceId: string,
  { writeId, first }: { readonly writeId: string; readonly first: number },
): Promise<boolean> {
  return unlessRefused(() =>
    port.deleteItem(
      {
        TableName: table,
        Key: layout.commitKey(persistenceId, first),
        ConditionExpression: "wid = :wid",
        ExpressionAttributeValues: { ":wid": { S: writeId } },
      },
      { ...call, idempotent: true },
    ),
  );
}

/** Completes a deletion that was interrupted. */
async function dropAgain(
  { context, call }: Tool,
  persistenceId: string,
  { rowsFrom, tombsFrom }: Extract<Repair, { action: "drop-deleted" }>,
): Promise<boolean> {
  const deleted = await markDeleted(context, persistenceId, 0, call);
  if (typeof deleted === "string") return false;
  const { mark, life } = deleted;
  const from = rowsFrom ?? Math.max(mark.rowsFrom, mark.lowest);
  if (from > mark.lowest) return false;
  const tombs = tombsFrom === undefined ? {} : { tombsFrom, tombsDue: 0 };
  await dropDeleted(context, persistenceId, { life, mark: { ...mark, rowsFrom: from, ...tombs } }, call);
  return true;
}

/** Removes all but the first place, while that one has the id. */
async function unregisterDuplicates({ context, call }: Tool, persistenceId: string): Promise<boolean> {
  const { port, table } = context;
  const { own } = await readRegistrySlots(context, persistenceId, call);
  const [kept, ...others] = own;
  const isThis = {
    ConditionExpression: "persistence_id = :id",
    ExpressionAttributeValues: { ":id": { S: persistenceId } },
  };
  if (kept === undefined || others.length === 0) return false;
  return unlessRefused(() =>
    port.transactWriteItems(
      {
        TransactItems: [
          { ConditionCheck: { TableName: table, Key: kept, ...isThis } },
          ...others.map((Key) => ({ Delete: { TableName: table, Key, ...isThis } })),
        ],
      },
      call,
    ),
  );
}

async function unlessRefused(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    if (isDynamoError(error, "TransactionCanceledException")) return false;
    throw error;
  }
}

export interface RepairOptions extends VerifyOptions {
  /** Whether anything is changed; without it, what would be done is listed. @default false */
  readonly apply?: boolean;
  /** Which findings to repair, such as those that a preview has listed. @default all that can be repaired */
  readonly only?: (finding: Finding & { readonly repair: Repair }) => boolean;
}

/** One repair, and what became of it. */
export interface RepairStep {
  readonly finding: Finding & { readonly repair: Repair };
  /** `planned` without `apply`; `not-needed` if another process has done it, or the finding no longer holds. */
  readonly status: "planned" | "done" | "not-needed";
}

/** A run of repairs. Iterate it to make them. */
export interface Repairs extends AsyncIterable<RepairStep> {
  /** The findings of its verification so far. */
  readonly summary: VerifySummary;
}

/**
 * Repairs findings of {@link verifyJournal} that can be fixed without losing an event: raises missing high marks, removes
 * what staged writes and deletions left, and registers ids. Changes nothing without `apply`. Every repair is conditional and
 * can be repeated.
 *
 * @example
 * for await (const step of repairJournal(port, { table: "events" }, { apply: true })) console.log(step);
 */
export function repairJournal(
  port: DynamoPort,
  journal: JournalOptions = {},
  options: RepairOptions = {},
): Repairs {
  checkOptions(options, { ...verifyOptionChecks, apply: optionCheck.boolean, only: optionCheck.callback });
  const { apply = false, only = () => true } = options;
  let tool: Promise<Tool> | undefined;
  const open = () => {
    tool ??= apply ? openToWrite(port, journal, options) : openToRead(port, journal, options);
    return tool;
  };
  const findings = verification(open, options);
  return {
    get summary() {
      return findings.summary;
    },
    async *[Symbol.asyncIterator]() {
      for await (const finding of findings) {
        const { repair } = finding;
        if (repair === undefined) continue;
        const step = { finding: { ...finding, repair } };
        if (!only(step.finding)) continue;
        if (!apply) yield { ...step, status: "planned" };
        else {
          const done = await applyRepair(await open(), finding.persistenceId, repair);
          yield { ...step, status: done ? "done" : "not-needed" };
        }
      }
    },
  };
}
