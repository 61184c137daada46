import type { DynamoPort } from "@tablekeep/core";
import type { Snapshots } from "@tablekeep/journal";
import type { Command } from "commander";
import type { CommandIo } from "../command-context.ts";
import { openStore } from "../tables/open-store.ts";
import { provideTable } from "../tables/provide-table.ts";
import { addStoreOptions, type StoreOptions } from "../tables/store-options.ts";

/** Which snapshots a command works on, and where they are. */
export interface SnapshotFlags extends StoreOptions {
  readonly table?: string;
  readonly journalName?: string;
}

/** Adds the options that name snapshots and where they are. */
export function addSnapshotOptions(command: Command): Command {
  command
    .option("--table <name>", "the table of the snapshots (default: that of the settings, or snapshots)")
    .option("--journal-name <name>", "the prefix of all keys (default: that of the settings, or journal)");
  return addStoreOptions(command);
}

/** Snapshots, and the tables that they are in. */
export interface FoundSnapshots extends AsyncDisposable {
  readonly port: DynamoPort;
  readonly snapshots: Snapshots;
}

export async function findSnapshots(flags: SnapshotFlags, io: CommandIo): Promise<FoundSnapshots> {
  const { openSnapshots, snapshotTableSpec } = await import("@tablekeep/journal");
  const store = await openStore(flags, io);
  const { port, config } = store;
  try {
    const configured = config.stores.journals?.find(
      ({ snapshotTable }) =>
        flags.table === undefined || flags.table === snapshotTableSpec(snapshotTable).name,
    );
    const table = flags.table ?? configured?.snapshotTable;
    const journalName = flags.journalName ?? (configured?.journal?.journalName || undefined);
    await provideTable(store, snapshotTableSpec(table), false, false);
    const snapshots = await openSnapshots(port, { table, journalName, deadlineMs: 60_000 });
    const close = async () => {
      await snapshots.close();
      await port.close();
    };
    return { port, snapshots, [Symbol.asyncDispose]: close };
  } catch (error) {
    await port.close();
    throw error;
  }
}
