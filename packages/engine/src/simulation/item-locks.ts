import type { Clock } from "@tablekeep/core";
import type { StorageKey } from "../storage/storage.ts";
import { dynamoError } from "../values/dynamo-errors.ts";

/** The items that transactions in progress have locked, by storage key, until a time of the clock's `monotonic`. */
export class ItemLocks {
  readonly #clock: Clock;
  readonly #until = new Map<StorageKey, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  lock(key: StorageKey, until: number): void {
    this.#until.set(key, until);
  }

  /** Throws DynamoDB's error if a transaction has locked the item. */
  checkUnlocked(key: StorageKey): void {
    const until = this.#until.get(key);
    if (until === undefined) return;
    if (until > this.#clock.monotonic()) {
      throw dynamoError("TransactionConflictException", "Transaction is ongoing for the item");
    }
    this.#until.delete(key);
  }

  releaseAll(): void {
    this.#until.clear();
  }
}
