import type { DynamoPort } from "@tablekeep/core";
import { buildContext } from "../build-context.ts";
import type { Fencing } from "../journal-context.ts";
import type { JournalOptions } from "../journal-options.ts";
import { readRecord, type Sharing, storedSharing } from "./check-settings.ts";

/** What a journal's own record says of how it was made. */
export interface StoredSettings {
  readonly sequenceShards: number;
  readonly fencing: Fencing;
  /** Whether the journal shares its table with an Akka plugin. */
  readonly akka: Sharing;
}

/**
 * Reads what a journal was made with, for those who want to open it as it is: table, layout and journal name must be
 * known. Undefined if it has no record, as a journal that only an Akka plugin has written.
 */
export async function readStoredSettings(
  port: DynamoPort,
  options: Pick<JournalOptions, "table" | "layout" | "journalName" | "keyNames" | "deadlineMs"> = {},
): Promise<StoredSettings | undefined> {
  const { context } = buildContext(port, options);
  const record = await readRecord(context, { deadlineMs: context.deadlineMs });
  if (record === undefined) return undefined;
  return {
    sequenceShards: Number(record["sequenceShards"]?.S),
    fencing: record["fencing"]?.S === "strict" ? "strict" : "optimistic",
    akka: storedSharing(record),
  };
}
