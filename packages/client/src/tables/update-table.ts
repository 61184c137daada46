import { isDynamoError, isTablekeepError, type TableDescription } from "@tablekeep/core";
import { compareTable } from "./compare-table.ts";
import { tagList } from "./create-table-input.ts";
import { enableExpiry } from "./enable-expiry.ts";
import { nextTableUpdate, type TableUpdate } from "./next-table-update.ts";
import { readTable } from "./read-table.ts";
import { describeTable, notReady, type TableRun } from "./table-run.ts";

/** Brings a table to its specification as far as that can be done without removing anything. */
export async function updateTable(run: TableRun): Promise<string[]> {
  const changes: string[] = [];
  for (;;) {
    const description = await whenIdle(run);
    const update = nextTableUpdate(run.spec, description);
    if (update === undefined) break;
    if (await tryUpdate(run, update)) changes.push(update.message);
    await run.wait("UPDATING");
  }
  if (await enableExpiry(run)) changes.push(`switched expiry on by the attribute ${run.spec.ttlAttribute}`);
  if (await addTags(run)) changes.push("set the tags");
  return changes;
}

/** The table once DynamoDB would take a change of it. */
async function whenIdle(run: TableRun): Promise<TableDescription> {
  for (;;) {
    const description = await describeTable(run);
    if (description === undefined) throw notReady(run.spec.name, "DELETED", "any more");
    const busy = description.GlobalSecondaryIndexes?.find(({ IndexStatus }) => IndexStatus !== "ACTIVE");
    if (description.TableStatus === "ACTIVE" && busy === undefined) return description;
    const status = busy ? `global index ${busy.IndexName} is ${busy.IndexStatus}` : description.TableStatus;
    await run.wait(String(status));
  }
}

/** True if this request made the change. False where it may have, or another is under way: the next look tells. */
async function tryUpdate(run: TableRun, update: TableUpdate): Promise<boolean> {
  try {
    await run.port.updateTable(update.input, run.callOptions());
    return true;
  } catch (error) {
    if (isDynamoError(error, "ResourceInUseException")) return false;
    if (isDynamoError(error, "LimitExceededException")) return false;
    if (isTablekeepError(error) && error.ambiguous && error.kind !== "aborted") return false;
    // DynamoDB says ValidationException when another process has just made the same change.
    if (isDynamoError(error, "ValidationException") && (await isDone(run, update))) return false;
    throw error;
  }
}

async function isDone(run: TableRun, update: TableUpdate): Promise<boolean> {
  const description = await describeTable(run);
  return description !== undefined && nextTableUpdate(run.spec, description)?.message !== update.message;
}

async function addTags(run: TableRun): Promise<boolean> {
  const description = await describeTable(run);
  if (description?.TableArn === undefined) return false;
  const differences = compareTable(run.spec, await readTable(run, description));
  if (!differences.some(({ aspect }) => aspect === "tag")) return false;
  const input = { ResourceArn: description.TableArn, Tags: tagList(run.spec.tags ?? {}) };
  await run.port.tagResource(input, run.callOptions());
  return true;
}
