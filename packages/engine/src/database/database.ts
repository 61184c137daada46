import type { Clock, InputOf, OperationName } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { StreamCatalog } from "../catalog/stream-catalog.ts";
import type { StreamWatchers } from "../change/stream-watchers.ts";
import type { TableWatchers } from "../change/table-watchers.ts";
import type { Storage } from "../storage/storage.ts";
import type { WriteQueue } from "../storage/write-queue.ts";
import type { BackgroundJobs } from "./job.ts";
import type { ServiceModel } from "./service-model.ts";

/** What operations work on. Reads go to `storage`, which shows committed data only; writes go through `writes`. */
export interface Database {
  readonly storage: Storage;
  /** The storage without delayed visibility: for background work. */
  readonly bareStorage: Storage;
  readonly catalog: Catalog;
  readonly streams: StreamCatalog;
  readonly writes: WriteQueue;
  /** Listeners in this process for table changes. */
  readonly watchers: TableWatchers;
  /** Listeners in this process to the records of streams. */
  readonly streamWatchers: StreamWatchers;
  readonly background: BackgroundJobs;
  readonly service: ServiceModel;
  readonly operations: OperationTable;
  readonly clock: Clock;
  /** The folder, if there is one. */
  readonly path: string | undefined;
  readonly region: string;
  readonly accountId: string;
}

/** Carries out one operation. The input has the right shape; the operation checks its content. */
export type Operation<Name extends OperationName> = (
  database: Database,
  input: InputOf<Name>,
) => Answer | Promise<Answer>;

/** Operations by their names in DynamoDB's protocol. */
export type OperationTable = Partial<{ readonly [Name in OperationName]: Operation<Name> }>;
