import { systemClock } from "@tablekeep/core";
import { Background } from "./background/background.ts";
import { Catalog } from "./catalog/catalog.ts";
import type { Database } from "./database.ts";
import type { EngineOptions } from "./engine-options.ts";
import { Behaviour } from "./hooks/behaviour.ts";
import { faultError } from "./storage/disk-error.ts";
import { MemoryStorage } from "./storage/memory-storage.ts";
import type { Storage } from "./storage/storage.ts";
import { StreamCatalog } from "./stream/stream-catalog.ts";
import { TableWatchers } from "./write/table-watchers.ts";
import { WriteQueue } from "./write/write-queue.ts";

/** The database that lies in a storage. Its background work has not begun. */
export function databaseOn(storage: Storage, options: Omit<EngineOptions, "storage"> = {}): Database {
  const clock = options.clock ?? systemClock;
  const behaviour = options.behaviour && new Behaviour(options.behaviour, clock);
  const { path } = storage;
  const database: Database = {
    storage: behaviour?.readersView(storage) ?? storage,
    bareStorage: storage,
    behaviour,
    path,
    catalog: Catalog.load(storage),
    streams: StreamCatalog.load(storage),
    writes: new WriteQueue(storage, {
      translate: (fault) => afterFault(database, fault),
      immediate: storage instanceof MemoryStorage,
      checkFree: behaviour && ((key) => behaviour.checkFree(key)),
    }),
    watchers: new TableWatchers(),
    background: new Background(() => database),
    clock,
    region: options.region ?? "us-east-1",
    accountId: options.accountId ?? "000000000000",
  };
  return database;
}

/** After a commit of which nobody knows whether it is there, the tables and the work are those that the storage shows. */
function afterFault({ catalog, streams, background, bareStorage, path }: Database, fault: unknown): Error {
  const error = faultError(fault, path);
  if (!error.ambiguous) return error;
  try {
    catalog.reload(bareStorage);
    streams.reload(bareStorage);
    background.start();
  } catch {
    // A storage that cannot be read either will say so to whoever reads next.
  }
  return error;
}

/** Ends the background work, waits for the writes under way, and ends the storage. */
export async function closeDatabase(database: Database): Promise<void> {
  try {
    await database.background.stop();
    await database.writes.drain();
  } finally {
    await database.storage.close();
  }
}
