import { checkTable, ensureTable, isClientError, requireTable, type TableSpec } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import { journalTableSpec, snapshotTableSpec } from "@tablekeep/journal";
import { mailTableSpec } from "@tablekeep/mail";
import { shadowHistoryTableSpec, shadowTableSpec } from "@tablekeep/shadow";
import type { ResolvedServerOptions } from "../options/server-options.ts";
import type { JournalConfig } from "../options/store-configs.ts";
import { ServerError } from "../server-error.ts";
import { countedWithCapacity, type UseByTable } from "./counted-port.ts";

/** A table that a server needs. */
export interface ServedTable {
  readonly spec: TableSpec;
  /** Whether its store also works if DynamoDB expires no items. */
  readonly worksWithoutExpiry: boolean;
}

/** The tables that a server with these options needs, each once: stores may share one. */
export function servedTables({
  journals,
  mail,
  shadows,
}: Pick<ResolvedServerOptions, "journals" | "mail" | "shadows">): readonly ServedTable[] {
  const ofJournals = journals.flatMap((config) => [
    // Akka creates its tables without expiry; only tombstones stay there forever then.
    { spec: journalTableSpec(config.journal), worksWithoutExpiry: true },
    ...(hasSnapshotTable(config) ? [servedSnapshots(config)] : []),
  ]);
  const others = [
    ...(mail === false ? [] : [mailTableSpec(mail.store)]),
    ...(shadows === false ? [] : [shadows, ...(shadows.others ?? [])]).flatMap(({ store }) => [
      shadowTableSpec(store?.table),
      ...(store?.history === undefined ? [] : [shadowHistoryTableSpec(store.table, store.history)]),
    ]),
  ];
  const all = [...ofJournals, ...others.map((spec) => ({ spec, worksWithoutExpiry: false }))];
  return [...new Map(all.map((table) => [table.spec.name, table])).values()];
}

/** Whether the options say that the snapshots of a journal have their own table. A packed journal stores them beside its events. */
function hasSnapshotTable({ journal, snapshotTable }: JournalConfig): boolean {
  if (snapshotTable !== undefined) return true;
  const { layout, akka = "none" } = journal ?? {};
  return layout === undefined ? akka !== "none" : layout !== "packed";
}

/** The table of a journal's snapshots, if they are not stored beside its events. */
export function servedSnapshots({ snapshotTable }: JournalConfig): ServedTable {
  return { spec: snapshotTableSpec(snapshotTable), worksWithoutExpiry: true };
}

/** The DynamoDB port of a server's stores, and its tables. */
export interface Backend {
  readonly port: DynamoPort;
  /** The embedded engine, if the data is in a folder or in memory. */
  readonly engine?: Engine;
  /** The tables, all of which exist. */
  readonly tables: readonly TableSpec[];
  /** Adds a table that is needed because of what is stored; it exists afterwards. Throws like {@link openBackend}. */
  addTable(table: ServedTable): Promise<void>;
  /** The use of each table: through `port`, and on the engine by its other clients too. */
  readonly use: UseByTable;
  close(): Promise<void>;
}

type BackendOptions = Pick<
  ResolvedServerOptions,
  | "dataFolder"
  | "memory"
  | "port"
  | "portName"
  | "createTables"
  | "arnRegion"
  | "accountId"
  | "clock"
  | "logger"
  | "signal"
>;

/**
 * Opens the data folder or a store in memory, or uses the given port, which the caller closes. All of `tables` exist
 * afterwards: they are created in a folder, and only checked elsewhere unless the options allow to create them.
 */
export async function openBackend(
  options: BackendOptions,
  served: readonly ServedTable[] = [],
): Promise<Backend> {
  const { dataFolder, memory, port, createTables, arnRegion: region, accountId, clock } = options;
  if (port !== undefined) {
    const make = createTables ? makeTables : requireTables;
    const { tables, addTables } = tablesOn(port, options, (specs) => make(port, specs, options));
    await addTables(served);
    const addTable = (table: ServedTable) => addTables([table]);
    return { ...countedWithCapacity(port), tables, addTable, close: async () => {} };
  }
  const storage = memory ? ({ kind: "memory" } as const) : ({ kind: "folder", path: dataFolder } as const);
  const engine = await openEngine({ storage, clock, region, accountId });
  try {
    // This is short and must not stop halfway, so it has no signal.
    const { tables, addTables } = tablesOn(engine, options, (specs) => makeTables(engine, specs, { clock }));
    await addTables(served);
    const addTable = (table: ServedTable) => addTables([table]);
    return { port: engine, use: () => engine.use(), engine, tables, addTable, close: () => engine.close() };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** A list of tables, and how to add to it: `make` creates or checks them. */
function tablesOn(
  port: DynamoPort,
  options: BackendOptions,
  make: (specs: readonly TableSpec[]) => Promise<void>,
): { readonly tables: readonly TableSpec[]; addTables(served: readonly ServedTable[]): Promise<void> } {
  const tables: TableSpec[] = [];
  return {
    tables,
    async addTables(served) {
      const missing = served.filter(({ spec }) => !tables.some(({ name }) => name === spec.name));
      const specs = await relaxExpiry(port, missing, options);
      await make(specs);
      tables.push(...specs);
    },
  };
}

/** The specifications of the tables, without expiry where a table that works without it has none. */
function relaxExpiry(
  port: DynamoPort,
  served: readonly ServedTable[],
  { clock, signal, logger }: Pick<BackendOptions, "clock" | "signal" | "logger">,
): Promise<TableSpec[]> {
  const relaxed = async ({ spec, worksWithoutExpiry }: ServedTable): Promise<TableSpec> => {
    const { ttlAttribute, ...withoutExpiry } = spec;
    if (!worksWithoutExpiry || ttlAttribute === undefined) return spec;
    // A table that is missing or not ready is reported by the check that follows.
    const differences = await checkTable(port, spec, { clock, signal }).catch(() => []);
    if (!differences.some(({ aspect, updatable }) => aspect === "expiry" && updatable)) return spec;
    const advice = `aws dynamodb update-time-to-live --table-name ${spec.name} --time-to-live-specification Enabled=true,AttributeName=${ttlAttribute}`;
    logger.warn(
      `table ${spec.name} has time to live disabled, so tombstones of deleted events are never removed; to enable it: ${advice}`,
    );
    return withoutExpiry;
  };
  return Promise.all(served.map(relaxed));
}

async function makeTables(
  port: DynamoPort,
  tables: readonly TableSpec[],
  { clock, signal }: Partial<Pick<BackendOptions, "clock" | "signal">>,
): Promise<void> {
  for (const spec of tables) await ensureTable(port, spec, { clock, signal });
}

/** Reports all missing tables together. */
async function requireTables(
  port: DynamoPort,
  tables: readonly TableSpec[],
  { portName, clock, signal }: Pick<BackendOptions, "portName" | "clock" | "signal">,
): Promise<void> {
  const checks = await Promise.allSettled(tables.map((spec) => requireTable(port, spec, { clock, signal })));
  const errors = checks.flatMap((check) => (check.status === "rejected" ? [check.reason as unknown] : []));
  const missing = errors.flatMap((error) =>
    isClientError(error, "CLIENT_TABLE_MISSING") ? [error.details.table] : [],
  );
  if (errors.length > missing.length)
    throw errors.find((error) => !isClientError(error, "CLIENT_TABLE_MISSING"));
  if (missing.length === 0) return;
  const named = missing.length === 1 ? `table ${missing[0]} is` : `tables ${missing.join(", ")} are`;
  throw new ServerError(
    "SERVER_TABLES_MISSING",
    `${named} missing (${portName}): create with --create-tables, or from the template that --print-template prints`,
    { tables: missing },
  );
}
