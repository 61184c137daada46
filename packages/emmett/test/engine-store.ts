import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type Journal, type JournalOptions, journalTableSpec, openJournal } from "@tablekeep/journal";
import { getTablekeepEventStore, type TablekeepEventStore } from "../src/index.ts";

export interface EngineStore {
  readonly port: DynamoPort;
  readonly journal: Journal;
  readonly store: TablekeepEventStore;
}

/** An event store on an engine in memory. */
export async function engineStore(options: JournalOptions = {}): Promise<EngineStore> {
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, journalTableSpec(options));
  const journal = await openJournal(port, options);
  return { port, journal, store: getTablekeepEventStore(journal) };
}

export async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const collected: Value[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}
