import { isDynamoError } from "@tablekeep/core";
import { raiseEpoch, removeCleared, removeIfDead } from "../../append/clear-stage.ts";
import { raiseHighMark } from "../../append/raise-high-mark.ts";
import { markDeleted } from "../../delete/delete-to.ts";
import { dropDeleted } from "../../delete/drop-deleted.ts";
import { readMarks } from "../../position/read-marks.ts";
import { registerId } from "../../registry/register-id.ts";
import { readRegistryPlaces } from "../../registry/registry-places.ts";
import type { Tool } from "../open-tool.ts";
import type { Repair } from "../verify/finding.ts";

/** Does one repair. False if it is not needed any more. */
export function applyRepair(tool: Tool, persistenceId: string, repair: Repair): Promise<boolean> {
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

/** Whoever staged it gets a conflict when it commits: as from a writer that takes the id over. */
async function clearStage({ context, call }: Tool, persistenceId: string): Promise<boolean> {
  const { writer } = await readMarks(context, persistenceId, call);
  if (writer.cleared !== undefined) await removeCleared(context, persistenceId, writer.cleared, call);
  if (writer.stage === undefined || !(await raiseEpoch(context, persistenceId, writer, call))) return false;
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

/** Completes a deletion that was cut short. */
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

/** All but the first place, while that one holds the id. */
async function unregisterDuplicates({ context, call }: Tool, persistenceId: string): Promise<boolean> {
  const { port, table } = context;
  const { own } = await readRegistryPlaces(context, persistenceId, call);
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
