import { metaKey } from "../catalog/storage-keys.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";

/** Work on many entries, done in small pieces. It is stored, and goes on after a restart. */
export type Job = DropJob | FillIndexJob | FillExpiryJob;

/** Entries that nobody can reach any more are removed. */
export interface DropJob {
  readonly kind: "drop";
  /** What their keys begin with. */
  readonly prefixes: readonly string[];
  /** Single records that go with the last of them. */
  readonly keys: readonly string[];
}

/** Items that were there before an index are entered into it. */
export interface FillIndexJob {
  readonly kind: "fill-index";
  readonly tableName: string;
  readonly indexId: string;
  /** The key of the last item that was looked at; empty at the beginning. */
  readonly cursor: string;
}

/** Items that were there before expiry was switched on get their entries. */
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
  armSweep(): void;
  /** Starts to work if there is a job. Reads nothing and never throws: it runs after commits, and a disk may fail then. */
  wake(): void;
  /** Resolves once no job is left or running. */
  idle(): Promise<void>;
  /** Ends all work after the step in progress. */
  stop(): Promise<void>;
}
