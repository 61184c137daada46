import { metaKey } from "../catalog/storage-keys.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";

/** Work on many entries, done in small steps. It is stored, and continues after a restart. */
export type Job = DropJob | FillIndexJob | FillExpiryJob;

/** Removes entries that are no longer reachable. */
export interface DropJob {
  readonly kind: "drop";
  /** The prefixes of their keys. */
  readonly prefixes: readonly string[];
  /** Single records to remove with the last of them. */
  readonly keys: readonly string[];
}

/** Adds the items from before an index to it. */
export interface FillIndexJob {
  readonly kind: "fill-index";
  readonly tableName: string;
  readonly indexId: string;
  /** The key of the last visited item; empty at first. */
  readonly cursor: string;
}

/** Adds the expiry entries of items from before expiry was enabled. */
export interface FillExpiryJob {
  readonly kind: "fill-expiry";
  readonly tableName: string;
  readonly expiryId: string;
  readonly cursor: string;
}

export const jobPrefix: string = metaKey("job/");

/** The engine's background work, as operations see it. */
export interface BackgroundJobs {
  /** Starts, or continues what an earlier process left unfinished. */
  start(): void;
  /** Stores a job; it starts once that is durable. */
  add(transaction: WriteTransaction, job: Job): void;
  /** Schedules the next sweep if there is anything to sweep. Call it whenever that may have changed. */
  scheduleSweep(): void;
  /** Starts to work if there is a job. Reads nothing and never throws: it runs after commits, and a disk may fail then. */
  wake(): void;
  /** Resolves once no job is left or running. */
  idle(): Promise<void>;
  /** Ends all work after the step in progress. */
  stop(): Promise<void>;
}
