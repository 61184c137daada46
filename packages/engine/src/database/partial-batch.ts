import { isDynamoError } from "@tablekeep/core";
import type { PartitionLimiter, PartitionLocation } from "./service-model.ts";

/**
 * The items of a batch that their partitions admit. The others are unprocessed.
 * AWS: API_BatchWriteItem, API_BatchGetItem — a batch of which nothing can be processed is throttled as a whole.
 */
export class PartialBatch {
  readonly #partitions: PartitionLimiter | undefined;
  readonly #kind: "read" | "write";
  #admitted = 0;
  #rejection: unknown;

  constructor(partitions: PartitionLimiter | undefined, kind: "read" | "write") {
    this.#partitions = partitions;
    this.#kind = kind;
  }

  admits(place: PartitionLocation): boolean {
    try {
      this.#partitions?.admit(this.#kind, place);
      this.#admitted++;
      return true;
    } catch (error) {
      if (!isDynamoError(error)) throw error;
      this.#rejection = error;
      return false;
    }
  }

  spend(place: PartitionLocation, units: number): void {
    this.#partitions?.spend(this.#kind, place, units);
  }

  throwIfNoneAdmitted(): void {
    if (this.#admitted === 0 && this.#rejection !== undefined) throw this.#rejection;
  }
}
