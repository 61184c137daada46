import { type Clock, isDynamoError, type OperationName, sleep } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { AwsLocation } from "../catalog/describe-table.ts";
import type { IndexModel } from "../catalog/table-model.ts";
import type { Operation, OperationTable } from "../database/database.ts";
import type { ServiceModel } from "../database/service-model.ts";
import type { Storage, StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { dynamoError } from "../values/dynamo-errors.ts";
import type { EngineBehavior } from "./behavior-options.ts";
import { DelayedStorage, DelayedVisibility, delayWrites } from "./delayed-visibility.ts";
import { ItemLocks } from "./item-locks.ts";
import { PartitionBuckets } from "./partition-limits.ts";
import { SimulatedChance } from "./simulated-chance.ts";
import { SlowTableChanges } from "./slow-table-changes.ts";
import { SimulatedStreams } from "./streams/simulated-streams.ts";
import { Throttling } from "./throttling.ts";

/** A service that is slow, busy and distributed, as configured by the `behavior` option. */
export class SimulatedService implements ServiceModel {
  readonly atomicBatches = false;
  readonly partitions?: PartitionBuckets;
  readonly #options: EngineBehavior;
  readonly #clock: Clock;
  readonly #random: SimulatedChance;
  readonly #visibility: DelayedVisibility;
  readonly #locks: ItemLocks;
  readonly #throttling: Throttling;
  readonly #tables: SlowTableChanges;
  readonly #streams: SimulatedStreams | undefined;
  /** The position in which each item of the current transaction becomes visible. */
  #order: readonly number[] = [];

  constructor(options: EngineBehavior, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#random = new SimulatedChance(options.seed ?? 1);
    this.#visibility = new DelayedVisibility(clock);
    this.#locks = new ItemLocks(clock);
    this.#throttling = new Throttling(options.throttling ?? [], this.#random);
    this.#tables = new SlowTableChanges(clock, options.tableChangeMs ?? 0);
    if (options.partitionLimits !== undefined)
      this.partitions = new PartitionBuckets(options.partitionLimits, clock);
    this.#streams = options.streams && new SimulatedStreams(options.streams, this.#random);
  }

  /** Returns the storage as reads see it. */
  readersView(storage: Storage): Storage {
    return new DelayedStorage(storage, this.#visibility);
  }

  /** Returns the same operations, carried out as by this service. */
  wrap(operations: OperationTable): OperationTable {
    const wrapped: Record<string, Operation<never>> = {};
    const served = { ...operations, ...this.#streams?.operations };
    for (const [name, run] of Object.entries(served) as [OperationName, Operation<never>][]) {
      wrapped[name] = (database, input) =>
        this.#around(database, name, input, async () => run(database, input));
    }
    return wrapped;
  }

  /** Returns after how many items a page ends, given the caller's own limit. */
  pageLimit(limit: number | undefined): number | undefined {
    const { pageItems } = this.#options;
    if (pageItems === undefined) return limit;
    return Math.min(limit ?? Number.POSITIVE_INFINITY, this.#random.pick("page", pageItems));
  }

  /** Returns a transaction that delays index entries. */
  transactionForIndex(transaction: WriteTransaction, index: IndexModel): WriteTransaction {
    const { indexLagMs } = this.#options;
    if (indexLagMs === undefined || index.kind === "local") return transaction;
    return delayWrites(
      transaction,
      this.#visibility,
      this.#endAfter(this.#random.pick("index lag", indexLagMs)),
    );
  }

  /** Returns a transaction that locks the item and delays its change. */
  transactionForAction(
    transaction: WriteTransaction,
    key: StorageKey,
    at: number,
    total: number,
  ): WriteTransaction {
    const { transactionMs = 0 } = this.#options;
    if (transactionMs === 0) return transaction;
    if (at === 0) this.#order = this.#newOrder(total);
    const ms = (transactionMs * ((this.#order[at] ?? at) + 1)) / total;
    this.#locks.lock(key, this.#endAfter(ms)());
    // One point in time for both: an unlocked item must be visible.
    const end = this.#endAfter(ms);
    transaction.onCommitted(() => this.#locks.lock(key, end()));
    return delayWrites(transaction, this.#visibility, end);
  }

  /** Returns the time `ms` after the first call of the returned function. */
  #endAfter(ms: number): () => number {
    let end: number | undefined;
    return () => {
      end ??= this.#clock.monotonic() + ms;
      return end;
    };
  }

  #newOrder(total: number): number[] {
    const turns = Array.from({ length: total }, (_turn, at) => at);
    if (this.#options.transactionOrder !== "any") return turns;
    for (let left = total - 1; left > 0; left--) {
      const chosen = this.#random.pick("transaction order", [0, left]);
      const turn = turns[left] as number;
      turns[left] = turns[chosen] as number;
      turns[chosen] = turn;
    }
    return turns;
  }

  /** Throws DynamoDB's error if a transaction in progress has locked the item. */
  checkUnlocked(key: StorageKey): void {
    this.#locks.checkUnlocked(key);
  }

  /** Carries out a request with this behavior. */
  async #around(
    location: AwsLocation,
    operation: OperationName,
    input: unknown,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const early = this.#tables.before(operation, input);
    if (early !== undefined) return early;
    this.#throttling.check(location, operation, input);
    const answer = await this.#throughTransaction(operation, run);
    return (this.#options.tableChangeMs ?? 0) === 0 ? answer : this.#tables.after(operation, input, answer);
  }

  /** Completes everything in progress. */
  settle(): void {
    this.#visibility.clear();
    this.#locks.releaseAll();
    this.#tables.clear();
    this.partitions?.clear();
    this.#streams?.showAll();
  }

  /** Waits until all items of a transaction that was just committed are visible. */
  async #waitUntilVisible(): Promise<void> {
    const { transactionMs = 0 } = this.#options;
    const end = this.#clock.monotonic() + transactionMs;
    // A timer may fire a little early.
    for (let ms = transactionMs; ms > 0; ms = end - this.#clock.monotonic()) await sleep(this.#clock, ms);
  }

  async #throughTransaction(operation: OperationName, run: () => Promise<Answer>): Promise<Answer> {
    if (operation !== "TransactWriteItems" && operation !== "ExecuteTransaction") return run();
    try {
      const answer = await run();
      await this.#waitUntilVisible();
      return answer;
    } catch (error) {
      // Conflicts of new transactions are cancellation reasons: this is a repeated request whose first copy is in
      // progress.
      if (!isDynamoError(error, "TransactionConflictException")) throw error;
      throw dynamoError(
        "TransactionInProgressException",
        "The transaction with the given request token is already in progress",
      );
    }
  }
}
