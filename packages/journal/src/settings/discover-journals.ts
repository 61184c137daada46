import { type CallOptions, type DynamoPort, isDynamoError, type TableDescription } from "@tablekeep/core";
import { buildContext } from "../context/build-context.ts";
import type { Fencing } from "../context/journal.ts";
import type { JournalOptions } from "../context/journal-options.ts";
import type { LayoutName } from "../layouts/layout.ts";
import { readRecord, type Sharing, sameKeys, storedSharing } from "./check-settings.ts";

/** The settings in a journal's own record. */
export interface StoredSettings {
  /** As its record says; of `bucketed` and `packed`, which have the same keys, either may be stored where the other was expected. */
  readonly layout: LayoutName;
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
    layout: sameKeys(record, context.layout.name),
    sequenceShards: Number(record["sequenceShards"]?.S),
    fencing: record["fencing"]?.S === "strict" ? "strict" : "optimistic",
    akka: storedSharing(record),
  };
}

/** A journal that a table holds: what `openJournal` needs to open it as it was made. */
export interface DiscoveredJournal extends Pick<JournalOptions, "keyNames" | "sequenceShards" | "fencing"> {
  readonly table: string;
  readonly layout: LayoutName;
}

/** The journals of a store. */
export interface DiscoveredJournals {
  /** By table name. */
  readonly journals: readonly DiscoveredJournal[];
  /** False if the store has more tables than were read. */
  readonly complete: boolean;
}

/** Tables that one call of ListTables returns, and that discovery reads. */
const maxTables = 100;

/**
 * Finds the journals in the first 100 tables of a store. A table counts by its key schema: `par` and `num` make a packed
 * journal if its record says so, and else a bucketed one, also where only an Akka plugin has written. Other layouts have keys that any table may have, and count only
 * with the record that `openJournal` writes. Journals with a name other than their
 * layout's default are not found: no item lists names, and only a scan of the whole table would find them.
 */
export async function discoverJournals(
  port: DynamoPort,
  options: CallOptions = {},
): Promise<DiscoveredJournals> {
  const { TableNames = [], LastEvaluatedTableName } = await port.listTables({ Limit: maxTables }, options);
  const journals: DiscoveredJournal[] = [];
  for (const table of TableNames) {
    const found = await journalIn(port, table, options);
    if (found !== undefined) journals.push(found);
  }
  return { journals, complete: LastEvaluatedTableName === undefined };
}

async function journalIn(
  port: DynamoPort,
  table: string,
  options: CallOptions,
): Promise<DiscoveredJournal | undefined> {
  const description = await describe(port, table, options);
  const place = description && placeBy(description);
  if (place === undefined) return undefined;
  const { deadlineMs } = options;
  const stored = await readStoredSettings(port, { table, ...place, deadlineMs }).catch(whereGone);
  if (stored === undefined && place.layout !== "bucketed") return undefined;
  return { table, ...place, ...stored };
}

/** Undefined for a table that was deleted since it was listed, or that cannot be read yet. */
async function describe(
  port: DynamoPort,
  TableName: string,
  options: CallOptions,
): Promise<TableDescription | undefined> {
  const answer = await port.describeTable({ TableName }, options).catch(whereGone);
  const status = answer?.Table?.TableStatus;
  return status === "ACTIVE" || status === "UPDATING" ? answer?.Table : undefined;
}

function whereGone(error: unknown): undefined {
  if (!isDynamoError(error, "ResourceNotFoundException")) throw error;
}

function placeBy(table: TableDescription): Pick<DiscoveredJournal, "layout" | "keyNames"> | undefined {
  const types = new Map(
    table.AttributeDefinitions?.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]),
  );
  const names = table.KeySchema?.map(({ AttributeName = "" }) => AttributeName) ?? [];
  const [partition = "", sort] = names;
  if (types.get(partition) !== "S") return undefined;
  if (sort === undefined) return partition === "key" ? { layout: "scattered" } : undefined;
  if (types.get(sort) !== "N") return undefined;
  // A linear journal under `par` has its own name.
  if (partition === "par") return sort === "num" ? { layout: "bucketed" } : undefined;
  return { layout: "linear", keyNames: { persistenceId: partition, sequenceNr: sort } };
}
