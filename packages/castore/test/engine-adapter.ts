import { ensureTable } from "@tablekeep/client";
import type { DynamoPort } from "@tablekeep/core";
import { openEngine } from "@tablekeep/engine";
import { type Journal, type JournalOptions, journalTableSpec, openJournal } from "@tablekeep/journal";
import { TablekeepEventStorageAdapter } from "../src/index.ts";

export interface EngineAdapter {
  readonly port: DynamoPort;
  readonly journal: Journal;
  readonly adapter: TablekeepEventStorageAdapter;
}

/** An adapter on an engine in memory. */
export async function engineAdapter(options: JournalOptions = {}): Promise<EngineAdapter> {
  const port = await openEngine({ storage: { kind: "memory" } });
  await ensureTable(port, journalTableSpec(options));
  const journal = await openJournal(port, options);
  return { port, journal, adapter: new TablekeepEventStorageAdapter(journal) };
}
