import type { DynamoPort, KeySchemaElement } from "@tablekeep/core";
import type { JournalOptions, LayoutName } from "@tablekeep/journal";
import { CliError } from "../cli-error.ts";
import type { CommandIo } from "../command-context.ts";
import { openStore } from "../tables/open-store.ts";
import type { JournalFlags } from "./journal-flags.ts";

/** What names a journal in its table. */
export interface JournalName {
  readonly table: string;
  readonly layout?: LayoutName | undefined;
  readonly journalName?: string | undefined;
  readonly sequenceShards?: number | undefined;
}

/** A journal that a command line names, and the tables that it is in. */
export interface FoundJournal extends AsyncDisposable {
  readonly port: DynamoPort;
  /** What opens it. */
  readonly journal: JournalOptions;
}

/** A large page over a slow line takes its time. */
const deadlineMs = 60_000;

/** Opens the tables, and finds out what the command line does not say of the journal. */
export async function findJournal(flags: JournalFlags, io: CommandIo): Promise<FoundJournal> {
  const port = await openStore(flags, io, { makeFolder: false });
  try {
    const journal = await journalIn(port, flags, io.signal);
    return { port, journal, [Symbol.asyncDispose]: () => port.close() };
  } catch (error) {
    await port.close();
    throw error;
  }
}

/** The layout by the table's keys, shards and fencing by the journal's own record, unless the command line says them. */
export async function journalIn(
  port: DynamoPort,
  { table, layout, journalName, sequenceShards }: JournalName,
  signal: AbortSignal,
): Promise<JournalOptions> {
  const { readStoredSettings } = await import("@tablekeep/journal");
  const { Table } = await port.describeTable({ TableName: table }, { signal });
  const named = { table, journalName, deadlineMs, ...layoutBy(Table?.KeySchema ?? [], table, layout) };
  const stored = await readStoredSettings(port, named);
  return {
    ...named,
    sequenceShards: sequenceShards ?? stored?.sequenceShards,
    ...(stored !== undefined && { fencing: stored.fencing }),
  };
}

function layoutBy(
  keys: readonly KeySchemaElement[],
  table: string,
  given: LayoutName | undefined,
): Pick<JournalOptions, "layout" | "keyNames"> {
  const [partition = "", sort] = keys.map(({ AttributeName = "" }) => AttributeName);
  const fits: Record<LayoutName, boolean> = {
    bucketed: partition === "par" && sort === "num",
    scattered: partition === "key" && sort === undefined,
    linear: sort !== undefined,
  };
  const layout = given ?? (["bucketed", "scattered", "linear"] as const).find((name) => fits[name]);
  if (layout === undefined || !fits[layout]) {
    const names = keys.map(({ AttributeName }) => AttributeName).join(" and ");
    throw new CliError(
      "CLI_NO_JOURNAL",
      `${table} has the key ${names}, which no journal${given === undefined ? "" : ` in the ${given} layout`} has: check --table and --layout`,
    );
  }
  const linear = layout === "linear" && sort !== undefined;
  return { layout, ...(linear && { keyNames: { persistenceId: partition, sequenceNr: sort } }) };
}
