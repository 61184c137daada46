import type { IndexModel, TableModel } from "../catalog/table-model.ts";
import type { StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";

/**
 * How the service behaves beyond the semantics of its operations: page sizes, locks, delayed visibility. It is chosen once,
 * when an engine opens: ideal by default, a busy DynamoDB in `simulation/`.
 */
export interface ServiceModel {
  /** The throughput of single partitions, if it is limited. */
  readonly partitions?: PartitionLimiter;
  /** True if all writes of a batch become visible together. */
  readonly atomicBatches: boolean;
  /** Returns after how many items a page ends, given the caller's own limit. */
  pageLimit(limit: number | undefined): number | undefined;
  /** Returns the transaction in which an index entry is changed. */
  transactionForIndex(transaction: WriteTransaction, index: IndexModel): WriteTransaction;
  /** Returns the transaction in which action number `at` of a transaction of `total` actions changes the item at `key`. */
  transactionForAction(
    transaction: WriteTransaction,
    key: StorageKey,
    at: number,
    total: number,
  ): WriteTransaction;
  /** Throws DynamoDB's error if a transaction in progress has locked the item. */
  checkUnlocked(key: StorageKey): void;
  /** Completes everything in progress: nothing is delayed or locked afterwards. */
  settle(): void;
}

/** A partition of a table or of an index, by the storage key of anything in it. */
export interface PartitionLocation {
  readonly table: TableModel;
  readonly index?: IndexModel;
  readonly at: StorageKey;
}

/** Limits the units that a partition may spend. */
export interface PartitionLimiter {
  /** Throws DynamoDB's error if the partition has nothing left to spend. */
  admit(kind: "read" | "write", place: PartitionLocation): void;
  /** Counts the capacity that a request consumed. */
  spend(kind: "read" | "write", place: PartitionLocation, units: number): void;
}

/** Writes are visible immediately, and items are never locked. */
export const idealService: ServiceModel = {
  atomicBatches: true,
  pageLimit: (limit) => limit,
  transactionForIndex: (transaction) => transaction,
  transactionForAction: (transaction) => transaction,
  checkUnlocked() {},
  settle() {},
};
