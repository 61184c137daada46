import {
  isDynamoError,
  isTablekeepError,
  type TableDescription,
  type Tag,
  type TimeToLiveDescription,
} from "@tablekeep/core";
import { type ActualTable, expiryAttribute } from "./compare-table.ts";
import { timeToLiveInput } from "./create-table-input.ts";
import type { TableRun } from "./table-run.ts";

/** Reads everything that a table is compared by; `description` is what DescribeTable has just returned. */
export async function readTable(run: TableRun, description: TableDescription): Promise<ActualTable> {
  return { description, timeToLive: await readTimeToLive(run), tags: await readTags(run, description) };
}

/** The expiry settings of the table. */
async function readTimeToLive(run: TableRun): Promise<TimeToLiveDescription | undefined> {
  const input = { TableName: run.spec.name };
  return (await run.port.describeTimeToLive(input, run.callOptions())).TimeToLiveDescription;
}

/** The tags of the table, where the specification has any and they may be read. A table has 50 at most. */
async function readTags(run: TableRun, description: TableDescription): Promise<readonly Tag[] | undefined> {
  if (Object.keys(run.spec.tags ?? {}).length === 0 || description.TableArn === undefined) return undefined;
  const tags: Tag[] = [];
  let NextToken: string | undefined;
  try {
    do {
      const input = { ResourceArn: description.TableArn, ...(NextToken && { NextToken }) };
      const page = await run.port.listTagsOfResource(input, run.callOptions());
      tags.push(...(page.Tags ?? []));
      NextToken = page.NextToken;
    } while (NextToken !== undefined);
    return tags;
  } catch (error) {
    // A tag is a note at most, so a missing permission or a server without tags (DynamoDB Local) must not fail the call.
    if (isTablekeepError(error) && error.kind === "denied") return undefined;
    if (isDynamoError(error, "UnknownOperationException")) return undefined;
    throw error;
  }
}

/**
 * Enables expiry if the specification requires it and it is disabled; returns whether this call did. Expiry by another
 * attribute is left alone: DynamoDB needs an hour between two changes, and the comparison reports it.
 */
export async function enableExpiry(run: TableRun): Promise<boolean> {
  const input = timeToLiveInput(run.spec);
  if (input === undefined) return false;
  for (;;) {
    if (expiryAttribute(await readTimeToLive(run)) !== undefined) return false;
    try {
      await run.port.updateTimeToLive(input, run.callOptions());
      return true;
    } catch (error) {
      if (!(await mayHaveHappened(run, error))) throw error;
    }
    await run.wait("expiry is being switched on");
  }
}

/** Whether expiry may be on at the next read after this error, or another attempt may enable it. */
async function mayHaveHappened(run: TableRun, error: unknown): Promise<boolean> {
  if (!isTablekeepError(error) || error.kind === "aborted") return false;
  if (error.ambiguous || isDynamoError(error, "ResourceInUseException")) return true;
  // DynamoDB says ValidationException when another process has just switched it on.
  if (!isDynamoError(error, "ValidationException")) return false;
  return expiryAttribute(await readTimeToLive(run)) !== undefined;
}
