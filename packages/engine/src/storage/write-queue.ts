import { entriesOf, type SeriesPrefix } from "./series.ts";
import type { Storage, StorageKey } from "./storage.ts";

/** What a write sees and does: the state after all earlier writes, and its own changes. */
export interface WriteTransaction {
  get(key: StorageKey): string | undefined;
  put(key: StorageKey, value: string): void;
  delete(key: StorageKey): void;
  /** Appends a record to a series; `appended` gets its number once this write is durable. Must not throw. */
  append(series: SeriesPrefix, record: string, appended?: (number: number) => void): void;
  /** Runs once this write is durable, before its caller is notified. Must not throw. */
  onCommitted(run: () => void): void;
  /** Throws DynamoDB's error if another transaction has locked this item. */
  readonly checkUnlocked: (key: StorageKey) => void;
}

/** Turns a failed commit into the error for the callers of its writes. */
type FaultTranslator = (fault: unknown) => Error;

interface WriteQueueOptions {
  readonly translate: FaultTranslator;
  /** Commits each write at once, which is right where a commit costs nothing, as in memory. */
  readonly immediate: boolean;
  /** Returns the number of the last record of a series. */
  readonly lastOf: (series: SeriesPrefix) => number;
  /** @default nothing is ever locked */
  readonly checkUnlocked?: WriteTransaction["checkUnlocked"];
}

type Changes = Map<StorageKey, string | undefined>;

/** A record to append to a series. */
interface NewRecord {
  readonly series: SeriesPrefix;
  readonly record: string;
  readonly appended: ((number: number) => void) | undefined;
}

/** Writes that are committed together. */
interface Group {
  readonly changes: Changes;
  readonly records: readonly NewRecord[];
  readonly waiting: readonly WaitingCaller[];
  readonly afterCommit: (() => void)[];
}

interface WaitingCaller {
  readonly settle: () => void;
  readonly fail: (error: Error) => void;
}

/**
 * The single writer. Writes run one after the other, each on the state that the earlier ones leave, and are committed
 * together once per turn of the event loop. No caller learns of a write, nor of a condition that failed because of
 * one, before it is durable.
 *
 * On a slow disk a commit is in flight for longer than a turn. Reads continue; requests that write wait for its end
 * before they look at anything, and then share the next commit.
 */
export class WriteQueue {
  readonly #storage: Storage;
  readonly #options: WriteQueueOptions;
  readonly #checkUnlocked: WriteTransaction["checkUnlocked"];
  /** Changes that are not committed yet. */
  #pending: Changes = new Map();
  #records: NewRecord[] = [];
  /** The numbers of the last records of series, as far as they are known. */
  readonly #ends = new Map<SeriesPrefix, number>();
  #waiting: WaitingCaller[] = [];
  #afterCommit: (() => void)[] = [];
  #scheduled = false;
  /** The commit in flight; resolves when it has ended. */
  #flight: Promise<void> | undefined;

  constructor(storage: Storage, options: WriteQueueOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#checkUnlocked = options.checkUnlocked ?? (() => undefined);
  }

  /** Resolves once no commit is in flight. Call {@link submit} right afterwards, and read what it depends on after this. */
  async ready(): Promise<void> {
    while (this.#flight !== undefined) await this.#flight;
  }

  /** True if a commit is in flight. */
  get isBusy(): boolean {
    return this.#flight !== undefined;
  }

  /**
   * Runs `write` now; resolves with its result, or rejects with its error, once everything before it is durable. No
   * commit may be in flight: see {@link ready}.
   */
  submit<Result>(write: (transaction: WriteTransaction) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#flight !== undefined) throw new Error("a write must wait for the commit in flight");
      let settle: () => void;
      try {
        const result = this.#run(write);
        settle = () => resolve(result);
      } catch (error) {
        settle = () => reject(error);
      }
      this.#waiting.push({ settle, fail: reject });
      // Nothing to wait for: neither this write nor an earlier one changes anything.
      if (this.#pending.size === 0 && this.#records.length === 0) this.#commit();
      else this.#schedule();
    });
  }

  /** True if nothing waits for a commit. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#flight === undefined;
  }

  /** Resolves once everything submitted so far has ended. */
  async drain(): Promise<void> {
    while (!this.isIdle) {
      if (this.#flight !== undefined) await this.#flight;
      else await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #run<Result>(write: (transaction: WriteTransaction) => Result): Result {
    const own: Changes = new Map();
    const records: NewRecord[] = [];
    const after: (() => void)[] = [];
    const result = write({
      get: (key) => (own.has(key) ? own.get(key) : this.#latest(key)),
      put: (key, value) => own.set(key, value),
      delete: (key) => own.set(key, undefined),
      append: (series, record, appended) => records.push({ series, record, appended }),
      onCommitted: (run) => after.push(run),
      checkUnlocked: this.#checkUnlocked,
    });
    // Only a write that did not throw has an effect.
    for (const [key, value] of own) this.#pending.set(key, value);
    this.#records.push(...records);
    this.#afterCommit.push(...after);
    return result;
  }

  #latest(key: StorageKey): string | undefined {
    return this.#pending.has(key) ? this.#pending.get(key) : this.#storage.get(key);
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
    const group = {
      changes: this.#pending,
      records: this.#records,
      waiting: this.#waiting,
      afterCommit: this.#afterCommit,
    };
    this.#pending = new Map();
    this.#records = [];
    this.#waiting = [];
    this.#afterCommit = [];
    try {
      this.#addRecords(group);
      if (group.changes.size > 0) {
        if (this.#beginFlight(group)) return;
        this.#storage.commit(group.changes);
      }
    } catch (fault) {
      this.#fail(group, fault);
      return;
    }
    succeed(group);
  }

  /** Adds the new records to the changes. */
  #addRecords({ changes, records, afterCommit }: Group): void {
    const added = new Map<SeriesPrefix, NewRecord[]>();
    for (const record of records) {
      const others = added.get(record.series);
      if (others === undefined) added.set(record.series, [record]);
      else others.push(record);
    }
    for (const [series, own] of added) {
      const last = this.#ends.get(series) ?? this.#options.lastOf(series);
      const entries = entriesOf(
        series,
        last + 1,
        own.map(({ record }) => record),
      );
      for (const [key, value] of entries) changes.set(key, value);
      afterCommit.push(() => {
        this.#ends.set(series, last + own.length);
        for (const [at, { appended }] of own.entries()) appended?.(last + 1 + at);
      });
    }
  }

  /** Call it after the storage has returned to an earlier state. */
  forgetEnds(): void {
    this.#ends.clear();
  }

  /** Starts a commit beside the event loop. Returns false if the storage commits at once. */
  #beginFlight(group: Group): boolean {
    let land: () => void = () => undefined;
    const begun = this.#storage.commitInBackground?.(group.changes, (fault) => {
      this.#flight = undefined;
      if (fault === undefined) succeed(group);
      else this.#fail(group, fault);
      land();
    });
    if (begun !== true) return false;
    this.#flight = new Promise((resolve) => {
      land = resolve;
    });
    return true;
  }

  #fail({ waiting }: Group, fault: unknown): void {
    this.forgetEnds();
    const error = this.#options.translate(fault);
    for (const each of waiting) each.fail(error);
  }
}

/** The writes are durable: whatever a hook does, their callers are notified, and the other hooks run. */
function succeed({ waiting, afterCommit }: Group): void {
  for (const run of afterCommit) {
    try {
      run();
    } catch (error) {
      // Hooks do not throw; if one does, it is a bug of the engine and does not concern the caller.
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }
  for (const each of waiting) each.settle();
}
