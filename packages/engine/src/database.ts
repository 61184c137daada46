import type { Clock } from "@tablekeep/core";
import type { Catalog } from "./catalog/catalog.ts";
import type { Storage } from "./storage/storage.ts";
import type { WriteQueue } from "./write/write-queue.ts";

/** What operations work on. Reads go to `storage`, which shows committed data only; writes go through `writes`. */
export interface Database {
  readonly storage: Storage;
  readonly catalog: Catalog;
  readonly writes: WriteQueue;
  readonly clock: Clock;
  readonly region: string;
  readonly accountId: string;
}
