import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { type Engine, openEngine } from "@tablekeep/engine";
import {
  type Journal,
  type JournalEvent,
  type JournalOptions,
  type JournalWriter,
  journalTableSpec,
  type LoadOptions,
  openJournal,
  openSnapshots,
  type Snapshots,
  snapshotTableSpec,
} from "@tablekeep/journal";
import {
  type AnyEntity,
  type EntitiesOptions,
  type EntityHost,
  ledgerTableSpec,
  openEntities,
} from "../src/index.ts";

export const tables = { events: "events", snapshots: "snapshots", commands: "commands" };

/** An engine in memory with the tables that entities need. */
export async function engineForEntities({ layout }: JournalOptions = {}): Promise<Engine> {
  const port = await openEngine({ storage: { kind: "memory" } });
  await makeTables(port, tables, { layout });
  return port;
}

/** Creates the tables that entities need. */
export async function makeTables(
  port: DynamoPort,
  names: typeof tables = tables,
  options: JournalOptions = {},
): Promise<void> {
  await ensureTable(port, journalTableSpec({ ...options, table: names.events }));
  await ensureTable(port, snapshotTableSpec(names.snapshots));
  await ensureTable(port, ledgerTableSpec(names.commands));
}

/** Journal, snapshots and ledger on a port. */
export interface Stores {
  readonly journal: Journal;
  readonly snapshots: Snapshots;
  readonly ledger: { readonly port: DynamoPort; readonly table: string };
}

export async function storesOn(
  port: DynamoPort,
  options: JournalOptions = {},
  names: typeof tables = tables,
): Promise<Stores> {
  return {
    journal: await openJournal(port, { table: names.events, ...options }),
    snapshots: await openSnapshots(port, {
      table: names.snapshots,
      ...(options.clock && { clock: options.clock }),
    }),
    ledger: { port, table: names.commands },
  };
}

/** Opens a host on a new engine, or on the given port. */
export async function openWorld<const Entities extends readonly AnyEntity[]>(
  entities: Entities,
  options: Partial<EntitiesOptions<Entities>> & { port?: DynamoPort; journalOptions?: JournalOptions } = {},
): Promise<{ host: EntityHost<Entities[number]>; stores: Stores; port: DynamoPort }> {
  const { journalOptions, port = await engineForEntities(journalOptions), ...rest } = options;
  const stores = await storesOn(port, journalOptions);
  const host = await openEntities({ ...stores, entities, ...rest });
  return { host, stores, port };
}

/** `journal`, with every writer that it returns replaced by what `change` makes of it. */
export function withWriters(journal: Journal, change: (writer: JournalWriter) => JournalWriter): Journal {
  return {
    ...journal,
    recover: async (id, options) => change(await journal.recover(id, options)),
    load: (async (id: string, options?: LoadOptions) => {
      const loaded = await journal.load(id, options);
      return { ...loaded, writer: change(loaded.writer) };
    }) as Journal["load"],
  };
}

export async function eventsOf(journal: Journal, persistenceId: string): Promise<JournalEvent[]> {
  const events: JournalEvent[] = [];
  for await (const event of journal.replay(persistenceId)) events.push(event);
  return events;
}
