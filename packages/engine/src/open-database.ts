import { systemClock } from "@tablekeep/core";
import { Catalog } from "./catalog/catalog.ts";
import { streamSeries } from "./catalog/storage-keys.ts";
import { StreamCatalog } from "./catalog/stream-catalog.ts";
import { changeCount } from "./change/stream-records.ts";
import { StreamWatchers } from "./change/stream-watchers.ts";
import { TableWatchers } from "./change/table-watchers.ts";
import type { Database } from "./database/database.ts";
import { idealService } from "./database/service-model.ts";
import type { EngineOptions } from "./engine-options.ts";
import { Background } from "./jobs/background.ts";
import { operations } from "./operations/operation-table.ts";
import { SimulatedService } from "./simulation/simulated-service.ts";
import { toEngineError } from "./storage/disk-error.ts";
import { MemoryStorage } from "./storage/memory-storage.ts";
import { lastOfSeries, type SeriesPrefix } from "./storage/series.ts";
import type { Storage } from "./storage/storage.ts";
import { WriteQueue } from "./storage/write-queue.ts";

/** Opens the database in a storage. Its background work is not started yet. */
export function openDatabase(storage: Storage, options: Omit<EngineOptions, "storage"> = {}): Database {
  const clock = options.clock ?? systemClock;
  const simulated = options.behavior && new SimulatedService(options.behavior, clock);
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
      translate: (fault) => recoverFromFault(database, fault),
      immediate: storage instanceof MemoryStorage,
      lastOf: (series) => changeCountOf(database, series),
      checkUnlocked: (key) => service.checkUnlocked(key),
    }),
    watchers: new TableWatchers(storage),
    streamWatchers: new StreamWatchers(),
    background: new Background(() => database),
    clock,
    region: options.region ?? "us-east-1",
    accountId: options.accountId ?? "000000000000",
  };
  return database;
}

/** Returns the number of the last record of a series: those of streams are the only ones. */
function changeCountOf({ streams, bareStorage }: Database, series: SeriesPrefix): number {
  const stream = streams.all().find(({ id }) => streamSeries(id) === series);
  return stream === undefined ? lastOfSeries(bareStorage, series) : changeCount(bareStorage, stream);
}

/** Returns the error for callers of a failed commit. After one with an unknown outcome, reads tables and jobs from the storage again. */
export function recoverFromFault(
  { catalog, streams, background, bareStorage, path }: Database,
  fault: unknown,
): Error {
  const error = toEngineError(fault, path);
  if (!error.ambiguous) return error;
  try {
    catalog.reload(bareStorage);
    streams.reload(bareStorage);
    background.start();
  } catch {
    // If the storage cannot be read either, the next read reports it.
  }
  return error;
}

/** Stops the background work, waits for writes in progress, and closes the storage. */
export async function closeDatabase(database: Database): Promise<void> {
  try {
    await database.background.stop();
    await database.writes.drain();
  } finally {
    await database.storage.close();
  }
}
