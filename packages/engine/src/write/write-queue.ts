import type { Storage, StorageKey } from "../storage/storage.ts";

/** What a write sees and does: the state after all writes before it, and its own changes. */
export interface WriteTransaction {
  get(key: StorageKey): string | undefined;
  put(key: StorageKey, value: string): void;
  delete(key: StorageKey): void;
  /** Runs once this write is durable, before its caller hears of it. */
  onCommitted(run: () => void): void;
  /** Throws DynamoDB's refusal if another's transaction holds this item. Absent where none ever does. */
  readonly checkFree?: ((key: StorageKey) => void) | undefined;
}

/** Turns a failed commit into the error that the callers of its writes get. */
export type FaultTranslator = (fault: unknown) => Error;

export interface WriteQueueOptions {
  readonly translate: FaultTranslator;
  /** Commits each write at once: right where a commit costs nothing, as in memory. */
  readonly immediate: boolean;
  readonly checkFree?: WriteTransaction["checkFree"];
}

type Changes = Map<StorageKey, string | undefined>;

interface Waiting {
  readonly settle: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * The one writer. Writes run one after the other, each on the state that the ones before it leave, and are committed
 * together once a turn of the event loop. Nobody hears of a write, nor of a condition that failed because of one,
 * before it is durable.
 */
export class WriteQueue {
  readonly #storage: Storage;
  readonly #options: WriteQueueOptions;
  /** Changes that are not committed yet. While a commit is under way, `#committing` holds those it took. */
  #pending: Changes = new Map();
  #committing: Changes | undefined;
  #waiting: Waiting[] = [];
  #afterCommit: (() => void)[] = [];
  #scheduled = false;
  #idle: Promise<void> = Promise.resolve();

  constructor(storage: Storage, options: WriteQueueOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Runs `write` now; resolves with what it returns, or rejects with what it throws, once all before it is durable. */
  submit<Result>(write: (transaction: WriteTransaction) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      let settle: () => void;
      try {
        const result = this.#run(write);
        settle = () => resolve(result);
      } catch (error) {
        settle = () => reject(error);
      }
      if (this.#pending.size === 0 && this.#committing === undefined && this.#waiting.length === 0) {
        this.#runAfterCommit();
        settle();
        return;
      }
      this.#waiting.push({ settle, fail: reject });
      this.#schedule();
    });
  }

  /** Whether nothing is waiting or under way. */
  get isIdle(): boolean {
    return !this.#scheduled && this.#waiting.length === 0 && this.#committing === undefined;
  }

  /** Resolves once everything submitted so far has ended. */
  async drain(): Promise<void> {
    while (!this.isIdle) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      await this.#idle;
    }
  }

  #run<Result>(write: (transaction: WriteTransaction) => Result): Result {
    const own: Changes = new Map();
    const after: (() => void)[] = [];
    const result = write({
      get: (key) => (own.has(key) ? own.get(key) : this.#latest(key)),
      put: (key, value) => own.set(key, value),
      delete: (key) => own.set(key, undefined),
      onCommitted: (run) => after.push(run),
      checkFree: this.#options.checkFree,
    });
    // Only a write that did not throw leaves anything behind.
    for (const [key, value] of own) this.#pending.set(key, value);
    this.#afterCommit.push(...after);
    return result;
  }

  #latest(key: StorageKey): string | undefined {
    if (this.#pending.has(key)) return this.#pending.get(key);
    if (this.#committing?.has(key)) return this.#committing.get(key);
    return this.#storage.get(key);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    if (this.#options.immediate) {
      this.#commit();
      return;
    }
    this.#scheduled = true;
    // After the poll phase: all requests that arrived in this turn share one commit.
    setImmediate(() => {
      this.#scheduled = false;
      this.#commit();
    });
  }

  #commit(): void {
    if (this.#committing !== undefined) return;
    const changes = this.#pending;
    const waiting = this.#waiting;
    const after = this.#afterCommit;
    this.#pending = new Map();
    this.#waiting = [];
    this.#afterCommit = [];
    this.#committing = changes;
    try {
      const flushed = changes.size === 0 ? undefined : this.#storage.commit(changes);
      if (flushed === undefined) {
        this.#succeed(waiting, after);
      } else {
        this.#idle = flushed.then(
          () => this.#succeed(waiting, after),
          (fault: unknown) => this.#fail(waiting, fault),
        );
      }
    } catch (fault) {
      this.#fail(waiting, fault);
    }
  }

  #succeed(waiting: readonly Waiting[], after: readonly (() => void)[]): void {
    this.#committing = undefined;
    for (const run of after) run();
    for (const each of waiting) each.settle();
    if (this.#waiting.length > 0) this.#schedule();
  }

  /** What was pending on top of a failed commit has seen changes that never came to be: it fails with it. */
  #fail(waiting: readonly Waiting[], fault: unknown): void {
    const error = this.#options.translate(fault);
    const all = [...waiting, ...this.#waiting];
    this.#committing = undefined;
    this.#pending = new Map();
    this.#waiting = [];
    this.#afterCommit = [];
    for (const each of all) each.fail(error);
  }

  #runAfterCommit(): void {
    const after = this.#afterCommit;
    this.#afterCommit = [];
    for (const run of after) run();
  }
}
