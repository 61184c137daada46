import type { IndexModel } from "../catalog/table-model.ts";
import type { StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";

/**
 * How the service behaves beyond the semantics of its operations: page sizes, locks, delayed visibility. It is chosen once,
 * when an engine opens: ideal by default, a busy DynamoDB in `simulation/`.
 */
export interface ServiceModel {
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

/** Everything is visible at once, and nothing is ever locked. */
export const idealService: ServiceModel = {
  atomicBatches: true,
  pageLimit: (limit) => limit,
  transactionForIndex: (transaction) => transaction,
  transactionForAction: (transaction) => transaction,
  checkUnlocked() {},
  settle() {},
};
