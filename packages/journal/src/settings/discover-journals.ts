import {
  type CallOptions,
  callChecks,
  checkPort,
  type DynamoPort,
  isDynamoError,
  optionCheck,
  type TableDescription,
} from "@tablekeep/core";
import { buildContext } from "../context/build-context.ts";
import type { Fencing } from "../context/journal.ts";
import type { JournalOptions } from "../context/journal-options.ts";
import { checkOptions, optionInvalid } from "../errors/journal-error.ts";
import type { LayoutName } from "../layouts/layout.ts";
import { readRecord, type Sharing, sameKeys, storedSharing } from "./check-settings.ts";
import { layoutToRead } from "./without-record.ts";

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
 * Reads the stored settings of a journal, to open it as it was created. Table, layout and journal name must be known.
 * Returns undefined if it has no record, such as a journal that only an Akka plugin has written.
 *
 * @example
 * const settings = await readStoredSettings(port, { table: "events" });
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

/** A journal of a table, with the options that `openJournal` needs to open it as it was created. */
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

/** Maximum number of tables to read: what one ListTables request returns. */
const maxTables = 100;

/**
 * Finds the journals in the first 100 tables of a store. A table with the keys `par` and `num` is a packed or a bucketed
 * journal, as its record says. Without a record it is bucketed if it has items of that layout, as where only an Akka plugin has
 * written, and otherwise packed. The keys of other layouts may occur in any table, so they need the record that `openJournal`
 * writes. Journals with a name other than their layout's default are not found: no item lists names, and only a scan of the
 * whole table would find them.
 *
 * @example
 * const { journals } = await discoverJournals(port);
 * for (const { table, layout } of journals) console.log(table, layout);
 */
export async function discoverJournals(
  port: DynamoPort,
  options: CallOptions = {},
): Promise<DiscoveredJournals> {
  checkPort(port, optionInvalid);
  checkOptions(options, callChecks);
  const { TableNames = [], LastEvaluatedTableName } = await port.listTables({ Limit: maxTables }, options);
  const journals: DiscoveredJournal[] = [];
  for (const table of TableNames) {
    const found = await discoverJournal(port, table, options);
    if (found !== undefined) journals.push(found);
  }
  return { journals, complete: LastEvaluatedTableName === undefined };
}

/**
 * Finds the journal of a table, as {@link discoverJournals} does. Returns undefined if it has none.
 *
 * @example
 * const journal = await discoverJournal(port, "events");
 */
export async function discoverJournal(
  port: DynamoPort,
  table: string,
  options: CallOptions = {},
): Promise<DiscoveredJournal | undefined> {
  checkPort(port, optionInvalid);
  const reason = optionCheck.nonEmptyString(table);
  if (reason !== undefined) throw optionInvalid("table", reason);
  checkOptions(options, callChecks);
  const description = await describe(port, table, options);
  const place = description && placeBy(description);
  if (place === undefined) return undefined;
  const { deadlineMs } = options;
  const stored = await readStoredSettings(port, { table, ...place, deadlineMs }).catch(whereGone);
  if (stored !== undefined) return { table, ...place, ...stored };
  if (place.layout !== "packed") return undefined;
  const { context, settings } = buildContext(port, { table });
  const found = await layoutToRead(context, settings, options).catch(whereGone);
  return found && { table, layout: found.layout };
}

/** Returns undefined for a table that was deleted since it was listed, or is not readable yet. */
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
  if (partition === "par") return sort === "num" ? { layout: "packed" } : undefined;
  return { layout: "linear", keyNames: { persistenceId: partition, sequenceNr: sort } };
}
