import { isDynamoError, isTablekeepError } from "@tablekeep/core";
import { expiryAttribute } from "./compare-table.ts";
import { timeToLiveInput } from "./create-table-input.ts";
import { readTimeToLive } from "./read-table.ts";
import type { TableRun } from "./table-run.ts";

/**
 * Switches expiry on where the specification asks for it and it is off; true if this call did. Expiry by another
 * attribute is left alone: DynamoDB takes an hour between two changes, and the comparison reports it.
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

/** Whether the next look may find expiry on after this error, or another attempt may switch it on. */
async function mayHaveHappened(run: TableRun, error: unknown): Promise<boolean> {
  if (!isTablekeepError(error) || error.kind === "aborted") return false;
  if (error.ambiguous || isDynamoError(error, "ResourceInUseException")) return true;
  // DynamoDB says ValidationException when another process has just switched it on.
  if (!isDynamoError(error, "ValidationException")) return false;
  return expiryAttribute(await readTimeToLive(run)) !== undefined;
}
