import { isDynamoError, isTablekeepError, type TableDescription, type TablekeepError } from "@tablekeep/core";
import { compareTable } from "./compare-table.ts";
import { tagList } from "./create-table-input.ts";
import { nextTableUpdate, type TableUpdate } from "./next-table-update.ts";
import { enableExpiry, readTable } from "./read-table.ts";
import { findTable, notReady, type TableRun } from "./table-run.ts";

/** Updates a table to its specification, as far as possible without removing anything. */
export async function updateTable(run: TableRun): Promise<string[]> {
  const changes: string[] = [];
  for (;;) {
    const description = await whenIdle(run);
    const update = nextTableUpdate(run.spec, description);
    if (update === undefined) break;
    const rejection = await tryUpdate(run, update);
    if (rejection === undefined) changes.push(update.message);
    await (rejection === undefined
      ? run.wait("UPDATING")
      : run.wait(`${update.message}: rejected`, rejection));
  }
  if (await enableExpiry(run)) changes.push(`enabled expiry by the attribute ${run.spec.ttlAttribute}`);
  if (await addTags(run)) changes.push("set the tags");
  return changes;
}

/** Returns the table once DynamoDB accepts changes to it. */
async function whenIdle(run: TableRun): Promise<TableDescription> {
  for (;;) {
    const description = await findTable(run);
    if (description === undefined) throw notReady(run.spec.name, "DELETED", "now");
    const busy = description.GlobalSecondaryIndexes?.find(({ IndexStatus }) => IndexStatus !== "ACTIVE");
    if (description.TableStatus === "ACTIVE" && busy === undefined) return description;
    const status = busy ? `global index ${busy.IndexName} is ${busy.IndexStatus}` : description.TableStatus;
    await run.wait(String(status));
  }
}

/** Sends UpdateTable. Returns the error if the change may be done or become possible: describing the table shows it. */
async function tryUpdate(run: TableRun, update: TableUpdate): Promise<TablekeepError | undefined> {
  try {
    await run.port.updateTable(update.input, run.callOptions());
    return undefined;
  } catch (error) {
    if (isWorthDescribing(error)) return error;
    // DynamoDB reports ValidationException when another process has just made the same change.
    if (isDynamoError(error, "ValidationException") && (await isDone(run, update))) return error;
    throw error;
  }
}

/** Whether a rejected change to a table may be done by another process, in progress, or possible later. */
export function isWorthDescribing(error: unknown): error is TablekeepError {
  if (isDynamoError(error, "ResourceInUseException") || isDynamoError(error, "LimitExceededException"))
    return true;
  return isTablekeepError(error) && error.ambiguous && error.kind !== "aborted";
}

async function isDone(run: TableRun, update: TableUpdate): Promise<boolean> {
  const description = await findTable(run);
  return description !== undefined && nextTableUpdate(run.spec, description)?.message !== update.message;
}

async function addTags(run: TableRun): Promise<boolean> {
  const description = await findTable(run);
  if (description?.TableArn === undefined) return false;
  const differences = compareTable(run.spec, await readTable(run, description));
  if (!differences.some(({ aspect }) => aspect === "tag")) return false;
  const input = { ResourceArn: description.TableArn, Tags: tagList(run.spec.tags ?? {}) };
  await run.port.tagResource(input, run.callOptions());
  return true;
}
