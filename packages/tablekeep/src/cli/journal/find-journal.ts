import type { DynamoPort, KeySchemaElement } from "@tablekeep/core";
import type { JournalOptions, JournalReader, LayoutName, RowFormat } from "@tablekeep/journal";
import { CliError } from "../frame/cli-error.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { hasTable, type OpenStore, openStore, provideTable, requireTable } from "../store/open-store.ts";
import type { AkkaFlag, JournalFlags } from "./journal-flags.ts";

/** Options that identify a journal in its table. */
interface JournalName {
  readonly table?: string;
  readonly layout?: LayoutName;
  readonly journalName?: string;
  readonly sequenceShards?: number;
  /** The Akka version that shares the table, for a journal that is written. */
  readonly akka?: JournalOptions["akka"];
}

/** A journal that a command line names, and its tables. */
export interface FoundJournal extends AsyncDisposable {
  readonly port: DynamoPort;
  readonly store: OpenStore;
  readonly table: string;
  /** Options to open it. */
  readonly journal: JournalOptions;
}

/** Long, because a large page can be slow over a slow connection. */
const deadlineMs = 60_000;

/** Opens the tables, and detects what the command line does not specify about the journal. */
export async function findJournal(flags: JournalFlags & AkkaFlag, io: CommandIo): Promise<FoundJournal> {
  const store = await openStore(flags, io);
  try {
    const table = flags.table ?? (await onlyJournal(store, io.signal));
    await requireTable(store, table);
    const { layout, journalName, sequenceShards, akka } = flags;
    const journal = await journalIn(store, { table, layout, journalName, sequenceShards, akka }, io.signal);
    // Only Tablekeep writes linear journals, and they have a record. Items without one belong to an application.
    if (journal.layout === "linear" && (await hasItems(store, table, io.signal)))
      await requireJournal(store, journal, table, layout);
    return { port: store.port, store, table, journal, [Symbol.asyncDispose]: () => store.port.close() };
  } catch (error) {
    await store.port.close();
    throw error;
  }
}

/** The same for a command that deletes or changes items. Throws for a table that may hold anything. */
export async function findJournalToChange(
  flags: JournalFlags & AkkaFlag,
  io: CommandIo,
): Promise<FoundJournal> {
  const found = await findJournal(flags, io);
  try {
    await requireJournal(found.store, found.journal, found.table, flags.layout);
    return found;
  } catch (error) {
    await found[Symbol.asyncDispose]();
    throw error;
  }
}

/**
 * The table to use if the command line names none: the one in the settings; else the default table, if it has
 * events; else the only journal found, or the only one with events.
 */
export async function onlyJournal(store: OpenStore, signal: AbortSignal): Promise<string> {
  const { journalTableSpec } = await import("@tablekeep/journal");
  const { discoverJournals } = await import("@tablekeep/journal/tools");
  const usual = journalTableSpec().name;
  const configured = store.config.stores.journals?.map(({ journal }) => journalTableSpec(journal).name) ?? [];
  if (configured.length === 0 && (await holdsRows(store, usual, signal))) return usual;
  const tables =
    configured.length > 0
      ? configured
      : (await discoverJournals(store.port, { signal, deadlineMs })).journals.map(({ table }) => table);
  if (tables.length < 2) return tables[0] ?? usual;
  const used: string[] = [];
  for (const table of tables) if (await holdsRows(store, table, signal)) used.push(table);
  if (used.length === 0 && tables.includes(usual)) return usual;
  if (used.length === 1 && used[0] !== undefined) return used[0];
  throw new CliError(
    "CLI_NO_JOURNAL",
    `${store.where} has several journals (${tables.join(", ")}): choose one with --table`,
  );
}

/** Throws if the journal has never had an event of an id. */
export async function requireId(
  found: FoundJournal,
  persistenceId: string,
  signal: AbortSignal,
): Promise<void> {
  const { openJournalReader } = await import("@tablekeep/journal");
  const journal = await openJournalReader(found.port, found.journal);
  if (!(await knowsId(journal, persistenceId, signal))) throw unknownId(found, persistenceId);
}

/** Whether a journal has, or had, events of an id. */
export async function knowsId(
  journal: Pick<JournalReader, "highestSequenceNr">,
  persistenceId: string,
  signal: AbortSignal,
): Promise<boolean> {
  return (await journal.highestSequenceNr(persistenceId, { signal })) > 0;
}

export function unknownId({ table, store }: FoundJournal, persistenceId: string): CliError {
  return new CliError(
    "CLI_NO_EVENTS",
    `no events of ${JSON.stringify(persistenceId)} in table ${table} (${store.where}): "tablekeep journal list" lists the ids`,
  );
}

async function hasItems({ port }: OpenStore, TableName: string, signal: AbortSignal): Promise<boolean> {
  const { Count = 0 } = await port.scan({ TableName, Limit: 1, Select: "COUNT" }, { signal });
  return Count > 0;
}

/** Whether the table exists and has more items than the journal's own record. */
async function holdsRows(store: OpenStore, TableName: string, signal: AbortSignal): Promise<boolean> {
  if (!(await hasTable(store, TableName))) return false;
  const page = await store.port.scan({ TableName, Limit: 2, Select: "COUNT" }, { signal });
  return (page.Count ?? 0) > 1;
}

/** The journal's options: from the settings; else the layout from the table's keys, shards and fencing from the journal's own record. */
export async function journalIn(
  { port, config }: Pick<OpenStore, "port" | "config">,
  { table, layout, journalName, sequenceShards, akka }: JournalName & { readonly table: string },
  signal: AbortSignal,
): Promise<JournalOptions> {
  const { journalTableSpec } = await import("@tablekeep/journal");
  const { readStoredSettings } = await import("@tablekeep/journal/tools");
  const configured = config.stores.journals?.find(({ journal }) => journalTableSpec(journal).name === table);
  const { Table } = await port.describeTable({ TableName: table }, { signal });
  const named = {
    ...configured?.journal,
    table,
    ...(journalName !== undefined && { journalName }),
    ...(akka !== undefined && { akka }),
    deadlineMs,
    ...layoutBy(Table?.KeySchema ?? [], table, layout ?? configured?.journal?.layout),
  };
  const { keyNames, layout: known, journalName: name } = named as JournalOptions;
  const stored = await readStoredSettings(port, {
    table,
    layout: known,
    keyNames,
    journalName: name,
    deadlineMs,
  });
  return {
    ...named,
    sequenceShards: sequenceShards ?? stored?.sequenceShards ?? configured?.journal?.sequenceShards,
    ...(stored !== undefined && { fencing: stored.fencing }),
    // If two layouts have the same keys, the record decides.
    ...(stored !== undefined &&
      (layout ?? configured?.journal?.layout) === undefined && { layout: stored.layout }),
  };
}

function layoutBy(
  keys: readonly KeySchemaElement[],
  table: string,
  given: LayoutName | undefined,
): Pick<JournalOptions, "layout" | "keyNames"> {
  const [partition = "", sort] = keys.map(({ AttributeName = "" }) => AttributeName);
  const fits: Record<LayoutName, boolean> = {
    packed: partition === "par" && sort === "num",
    bucketed: partition === "par" && sort === "num",
    scattered: partition === "key" && sort === undefined,
    linear: sort !== undefined,
  };
  // If two layouts have the same keys, the journal's record or its items decide.
  if (given === undefined && fits.packed) return {};
  const layout = given ?? (["scattered", "linear"] as const).find((name) => fits[name]);
  if (layout === undefined || !fits[layout]) {
    const names = keys.map(({ AttributeName }) => AttributeName).join(" and ");
    throw new CliError(
      "CLI_NO_JOURNAL",
      `${table} has the key ${names}, which is not a journal's${given === undefined ? "" : ` in the ${given} layout`}: check --table and --layout`,
    );
  }
  const linear = layout === "linear" && sort !== undefined;
  return { layout, ...(linear && { keyNames: { persistenceId: partition, sequenceNr: sort } }) };
}

/** A journal to write to. */
export interface TargetFlags extends JournalName {
  readonly create?: true;
  readonly format?: RowFormat;
}

/** Opens the journal to write to; creates its table first if it is missing and `create` is set. */
export async function findTarget(
  store: OpenStore,
  { create, format, ...name }: TargetFlags,
  signal: AbortSignal,
): Promise<JournalOptions> {
  const { journalTableSpec } = await import("@tablekeep/journal");
  const { table = journalTableSpec().name, layout } = name;
  const isNew = create === true && !(await hasTable(store, table));
  await provideTable(store, journalTableSpec({ table, layout }), isNew, true);
  const journal = await journalIn(store, { ...name, table }, signal);
  if (!isNew) await requireJournal(store, journal, table, layout);
  return { ...journal, format };
}

/**
 * Throws for a table that may hold anything: its keys fit a layout that neither the command line nor the settings name, and no journal has
 * recorded its settings there.
 */
async function requireJournal(
  store: OpenStore,
  { layout, fencing }: JournalOptions,
  table: string,
  named: LayoutName | undefined,
): Promise<void> {
  if (named !== undefined || fencing !== undefined || (layout !== "linear" && layout !== "scattered")) return;
  const { journalTableSpec } = await import("@tablekeep/journal");
  const configured = store.config.stores.journals ?? [];
  if (configured.some(({ journal }) => journalTableSpec(journal).name === table)) return;
  throw new CliError(
    "CLI_NO_JOURNAL",
    `table ${table} in ${store.where} has no record of a journal, so it was not used: check its name, or set its layout (${layout}) if it is a journal`,
  );
}
