import type { Clock } from "@tablekeep/core";
import type { Background } from "./background/background.ts";
import type { Catalog } from "./catalog/catalog.ts";
import type { Behaviour } from "./hooks/behaviour.ts";
import type { Storage } from "./storage/storage.ts";
import type { StreamCatalog } from "./stream/stream-catalog.ts";
import type { TableWatchers } from "./write/table-watchers.ts";
import type { WriteQueue } from "./write/write-queue.ts";

/** What operations work on. Reads go to `storage`, which shows committed data only; writes go through `writes`. */
export interface Database {
  readonly storage: Storage;
  /** The storage with nothing hidden from its readers: what background work goes by. */
  readonly bareStorage: Storage;
  readonly catalog: Catalog;
  readonly streams: StreamCatalog;
  readonly writes: WriteQueue;
  /** Listeners in this process to the changes of tables. */
  readonly watchers: TableWatchers;
  readonly background: Background;
  readonly clock: Clock;
  /** What was asked for beyond an ideal DynamoDB. */
  readonly behaviour: Behaviour | undefined;
  /** The folder, if there is one. */
  readonly path: string | undefined;
  readonly region: string;
  readonly accountId: string;
}
