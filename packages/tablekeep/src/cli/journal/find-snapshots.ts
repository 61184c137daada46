import type { DynamoPort } from "@tablekeep/core";
import type { Snapshots } from "@tablekeep/journal";
import type { CommandIo } from "../frame/command-context.ts";
import { hasTable, type OpenStore, openStore, provideTable } from "../store/open-store.ts";
import { journalIn, onlyJournal } from "./find-journal.ts";
import type { SnapshotFlags } from "./journal-flags.ts";

/** Snapshots, and their tables. */
export interface FoundSnapshots extends AsyncDisposable {
  readonly port: DynamoPort;
  readonly snapshots: Snapshots;
}

/** Long, because a large page can be slow over a slow connection. */
const deadlineMs = 60_000;

/** Opens the snapshots that a command line names: in their own table, or beside the events of a packed journal. */
export async function findSnapshots(flags: SnapshotFlags, io: CommandIo): Promise<FoundSnapshots> {
  const store = await openStore(flags, io);
  const { port } = store;
  try {
    const snapshots = (await besideEvents(store, flags, io.signal)) ?? (await inOwnTable(store, flags));
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

/** Undefined if the journal is not packed, or its snapshots have their own table. */
async function besideEvents(
  store: OpenStore,
  { table: given, journalName }: SnapshotFlags,
  signal: AbortSignal,
): Promise<Snapshots | undefined> {
  const { openJournalReader, openSnapshots } = await import("@tablekeep/journal");
  const { port, config } = store;
  if (given === undefined && config.stores.journals?.[0]?.snapshotTable !== undefined) return undefined;
  const table = given ?? (await onlyJournal(store, signal));
  if (!(await hasTable(store, table))) return undefined;
  const { Table } = await port.describeTable({ TableName: table }, { signal });
  if (given !== undefined && !Table?.KeySchema?.some(({ AttributeName }) => AttributeName === "num"))
    return undefined;
  const journal = await openJournalReader(port, await journalIn(store, { table, journalName }, signal));
  return journal.layout === "packed" ? openSnapshots(port, { journal, deadlineMs }) : undefined;
}

async function inOwnTable(store: OpenStore, flags: SnapshotFlags): Promise<Snapshots> {
  const { openSnapshots, snapshotTableSpec } = await import("@tablekeep/journal");
  const configured = store.config.stores.journals?.find(
    ({ snapshotTable }) => flags.table === undefined || flags.table === snapshotTableSpec(snapshotTable).name,
  );
  const table = flags.table ?? configured?.snapshotTable;
  const journalName = flags.journalName ?? (configured?.journal?.journalName || undefined);
  await provideTable(store, snapshotTableSpec(table), false, false);
  return openSnapshots(store.port, { table, journalName, deadlineMs });
}
