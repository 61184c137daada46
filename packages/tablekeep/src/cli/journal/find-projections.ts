import type { Projections } from "@tablekeep/feed/projections";
import type { Command } from "commander";
import { parseInteger } from "../frame/add-command.ts";
import { CliError } from "../frame/cli-error.ts";
import type { CommandIo } from "../frame/command-context.ts";
import { hasTable } from "../store/open-store.ts";
import { type FoundJournal, findJournal } from "./find-journal.ts";
import { addJournalOptions, type JournalFlags } from "./journal-flags.ts";

/** The projections that a command works on. */
export interface ProjectionFlags extends JournalFlags {
  readonly projectionsTable?: string;
}

/** The version of a projection that a command works on. */
export interface VersionFlags extends ProjectionFlags {
  readonly projectionVersion?: number;
}

/** Adds the options that name a journal, the table of its projections, and their location. */
export function addProjectionOptions(command: Command): Command {
  command.option(
    "--projections-table <name>",
    "table of the projections (default: from the settings, or projections)",
  );
  return addJournalOptions(command);
}

/** Adds the argument and the options of a command that works on one version of a projection. */
export function addVersionOptions(command: Command): Command {
  command
    .argument("<name>", "name of the projection")
    .option("--projection-version <number>", "its version (default: the current one)", parseInteger(1));
  return addProjectionOptions(command);
}

/** The projections of the journal that a command line names. */
export interface FoundProjections extends FoundJournal {
  readonly projections: Projections;
  /** Whether their table exists. */
  readonly hasTable: boolean;
}

/** Long, because a large page can be slow over a slow connection. */
const deadlineMs = 60_000;

/** Opens the projections of the journal that the command line names. With `orNone`, their table may be missing. */
export async function findProjections(
  flags: ProjectionFlags,
  io: CommandIo,
  { orNone = false }: { readonly orNone?: boolean } = {},
): Promise<FoundProjections> {
  const { openProjections, projectionTableSpec } = await import("@tablekeep/feed/projections");
  const { journalTableSpec } = await import("@tablekeep/journal");
  const found = await findJournal(flags, io);
  try {
    const { store, journal, table: journalTable } = found;
    const configured = store.config.stores.journals?.find(
      (each) => journalTableSpec(each.journal).name === journalTable,
    );
    const table = flags.projectionsTable ?? configured?.projectionsTable ?? projectionTableSpec().name;
    const isThere = await hasTable(store, table);
    if (!isThere && !orNone) throw noProjections(store.where, table);
    const projections = await openProjections(found.port, { table, feed: { journal }, deadlineMs });
    return { ...found, projections, hasTable: isThere };
  } catch (error) {
    await found.port.close();
    throw error;
  }
}

function noProjections(where: string, table: string): CliError {
  return new CliError(
    "CLI_TABLE_MISSING",
    `no projections in ${where}, because table ${table} does not exist: a program that calls runProjections creates it, or name another table with --projections-table`,
  );
}
