import { type Clock, isDynamoError, type OperationName, sleep } from "@tablekeep/core";
import type { Answer } from "../answer/answer.ts";
import type { Place } from "../catalog/table-description.ts";
import type { IndexModel } from "../catalog/table-model.ts";
import type { Operation, OperationTable } from "../database/database.ts";
import type { ServiceModel } from "../database/service-model.ts";
import type { Storage, StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { refusal } from "../values/dynamo-errors.ts";
import type { EngineBehaviour } from "./behaviour-options.ts";
import { covering, Veil, VeiledStorage } from "./delayed-visibility.ts";
import { HeldItems } from "./item-locks.ts";
import { Chance } from "./seeded-random.ts";
import { TableChanges } from "./table-changes.ts";
import { Throttling } from "./throttling.ts";

/** The behaviour that an engine was opened with, at the places where it shows. */
export class SimulatedService implements ServiceModel {
  readonly atomicBatches = false;
  readonly #options: EngineBehaviour;
  readonly #clock: Clock;
  readonly #chance: Chance;
  readonly #veil: Veil;
  readonly #held: HeldItems;
  readonly #throttling: Throttling;
  readonly #tables: TableChanges;
  /** The turn in which each item of the transaction that is being written becomes visible. */
  #turns: readonly number[] = [];

  constructor(options: EngineBehaviour, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#chance = new Chance(options.seed ?? 1);
    this.#veil = new Veil(clock);
    this.#held = new HeldItems(clock);
    this.#throttling = new Throttling(options.throttling ?? [], this.#chance);
    this.#tables = new TableChanges(clock, options.tableChangeMs ?? 0);
  }

  /** The storage as reads see it. */
  readersView(storage: Storage): Storage {
    return new VeiledStorage(storage, this.#veil);
  }

  /** The same operations, carried out as this service does. */
  wrap(operations: OperationTable): OperationTable {
    const wrapped: Record<string, Operation<never>> = {};
    for (const [name, run] of Object.entries(operations) as [OperationName, Operation<never>][]) {
      wrapped[name] = (database, input) =>
        this.#around(database, name, input, async () => run(database, input));
    }
    return wrapped;
  }

  /** After how many items a page ends, given the caller's own limit. */
  pageLimit(limit: number | undefined): number | undefined {
    const { pageItems } = this.#options;
    if (pageItems === undefined) return limit;
    return Math.min(limit ?? Number.POSITIVE_INFINITY, this.#chance.pick("page", pageItems));
  }

  /** The transaction in which an index's entry is changed. */
  transactionForIndex(transaction: WriteTransaction, index: IndexModel): WriteTransaction {
    const { indexLagMs } = this.#options;
    if (indexLagMs === undefined || index.kind === "local") return transaction;
    return covering(transaction, this.#veil, this.#endAfter(this.#chance.pick("index lag", indexLagMs)));
  }

  /** The transaction in which the action `at`, of `total`, of a transaction is carried out. */
  transactionForAction(
    transaction: WriteTransaction,
    key: StorageKey,
    at: number,
    total: number,
  ): WriteTransaction {
    const { transactionMs = 0 } = this.#options;
    if (transactionMs === 0) return transaction;
    if (at === 0) this.#turns = this.#newTurns(total);
    const ms = (transactionMs * ((this.#turns[at] ?? at) + 1)) / total;
    this.#held.hold(key, this.#endAfter(ms)());
    // Of one moment: an item that is free must not be covered any more.
    const end = this.#endAfter(ms);
    transaction.onCommitted(() => this.#held.hold(key, end()));
    return covering(transaction, this.#veil, end);
  }

  /** The time so long after the moment at which it is first asked for. */
  #endAfter(ms: number): () => number {
    let end: number | undefined;
    return () => {
      end ??= this.#clock.monotonic() + ms;
      return end;
    };
  }

  #newTurns(total: number): number[] {
    const turns = Array.from({ length: total }, (_turn, at) => at);
    if (this.#options.transactionOrder !== "any") return turns;
    for (let left = total - 1; left > 0; left--) {
      const chosen = this.#chance.pick("transaction order", [0, left]);
      const turn = turns[left] as number;
      turns[left] = turns[chosen] as number;
      turns[chosen] = turn;
    }
    return turns;
  }

  /** Throws DynamoDB's refusal if a transaction under way holds the item. */
  checkUnlocked(key: StorageKey): void {
    this.#held.checkUnlocked(key);
  }

  /** Carries out a request as this behaviour has it. */
  async #around(
    place: Place,
    operation: string,
    input: unknown,
    run: () => Promise<Answer>,
  ): Promise<Answer> {
    const early = this.#tables.before(operation, input);
    if (early !== undefined) return early;
    this.#throttling.check(place, operation, input);
    const answer = await this.#throughTransaction(operation, run);
    return (this.#options.tableChangeMs ?? 0) === 0 ? answer : this.#tables.after(operation, input, answer);
  }

  /** Everything that is under way counts as done. */
  settle(): void {
    this.#veil.lift();
    this.#held.releaseAll();
    this.#tables.forget();
  }

  /** Until all items of a transaction that was just committed are visible. */
  async #letBecomeVisible(): Promise<void> {
    const { transactionMs = 0 } = this.#options;
    const end = this.#clock.monotonic() + transactionMs;
    // A timer may ring a little early.
    for (let ms = transactionMs; ms > 0; ms = end - this.#clock.monotonic()) await sleep(this.#clock, ms);
  }

  async #throughTransaction(operation: string, run: () => Promise<Answer>): Promise<Answer> {
    if (operation !== "TransactWriteItems" && operation !== "ExecuteTransaction") return run();
    try {
      const answer = await run();
      await this.#letBecomeVisible();
      return answer;
    } catch (error) {
      // Conflicts of new transactions are cancellation reasons: this one was sent again while it is under way.
      if (!isDynamoError(error, "TransactionConflictException")) throw error;
      throw refusal(
        "TransactionInProgressException",
        "The transaction with the given request token is already in progress",
      );
    }
  }
}
