import { systemClock } from "@tablekeep/core";
import { Catalog } from "./catalog/catalog.ts";
import { StreamCatalog } from "./catalog/stream-catalog.ts";
import { TableWatchers } from "./change/table-watchers.ts";
import type { Database } from "./database/database.ts";
import { idealService } from "./database/service-model.ts";
import type { EngineOptions } from "./engine-options.ts";
import { Background } from "./jobs/background.ts";
import { operations } from "./operations/operations.ts";
import { SimulatedService } from "./simulation/simulated-service.ts";
import { faultError } from "./storage/disk-error.ts";
import { MemoryStorage } from "./storage/memory-storage.ts";
import type { Storage } from "./storage/storage.ts";
import { WriteQueue } from "./storage/write-queue.ts";

/** The database that lies in a storage. Its background work has not begun. */
export function databaseOn(storage: Storage, options: Omit<EngineOptions, "storage"> = {}): Database {
  const clock = options.clock ?? systemClock;
  const simulated = options.behaviour && new SimulatedService(options.behaviour, clock);
  const service = simulated ?? idealService;
  const { path } = storage;
  const database: Database = {
    storage: simulated?.readersView(storage) ?? storage,
    bareStorage: storage,
    service,
    operations: simulated?.wrap(operations) ?? operations,
    path,
    catalog: Catalog.load(storage),
    streams: StreamCatalog.load(storage),
    writes: new WriteQueue(storage, {
      translate: (fault) => afterFault(database, fault),
      immediate: storage instanceof MemoryStorage,
      checkUnlocked: (key) => service.checkUnlocked(key),
    }),
    watchers: new TableWatchers(storage),
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
