import type { Clock } from "@tablekeep/core";
import type { StorageKey } from "../storage/storage.ts";
import { refusal } from "../values/dynamo-errors.ts";

/** The items that transactions under way hold, by storage key, until a time of the clock's `monotonic`. */
export class HeldItems {
  readonly #clock: Clock;
  readonly #until = new Map<StorageKey, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hold(key: StorageKey, until: number): void {
    this.#until.set(key, until);
  }

  /** Throws DynamoDB's refusal if a transaction holds the item. */
  checkUnlocked(key: StorageKey): void {
    const until = this.#until.get(key);
    if (until === undefined) return;
    if (until > this.#clock.monotonic()) {
      throw refusal("TransactionConflictException", "Transaction is ongoing for the item");
    }
    this.#until.delete(key);
  }

  releaseAll(): void {
    this.#until.clear();
  }
}
