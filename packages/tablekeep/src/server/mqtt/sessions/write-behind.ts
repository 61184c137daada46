import { batchWrite, isClientError } from "@tablekeep/client";
import type { Clock, DynamoPort, Item, Key, Logger } from "@tablekeep/core";
import { DelayedWrites } from "./delayed-writes.ts";

/** Dependencies of a writer. */
export interface WriteBehindOptions {
  readonly port: DynamoPort;
  /** A table with the keys `PK` and `SK`. */
  readonly table: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A write that is not in flight: the last one of its item. */
interface PendingWrite {
  readonly entry:
    | { readonly table: string; readonly put: Item }
    | { readonly table: string; readonly delete: Key };
  readonly waiting: Waiting[];
  /** Whether the item may be in the table already. */
  readonly mayBeStored?: boolean;
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Requests in flight at a time. */
const parallel = 4;

/** Maximum items per attempt: on a slow disk, thousands would exceed its deadline. */
const itemsAtOnce = 500;

/** The wait after a failed write, in milliseconds; it doubles with each consecutive failure. */
const pauseMs = { first: 100, most: 5_000 };

/**
 * Writes items together: everything that arrives while a write is in flight is written next, and of each item only the last write. An item that is
 * removed before its write has started is not written at all. While the table is unavailable, writes wait and are
 * repeated. Any of them may be applied twice.
 */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  readonly #delayed: DelayedWrites;
  #pending = new Map<string, PendingWrite>();
  /** Called once nothing is pending, or a write that started after the call has failed. */
  #barriers: (() => void)[] = [];
  #isRunning = false;
  #failures = 0;
  #endPause: (() => void) | undefined;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
    this.#delayed = new DelayedWrites(options.clock);
  }

  /** Resolves once the item is stored, or is superseded by a later write of it. */
  put(item: Item): Promise<void> {
    const { table } = this.#options;
    return new Promise((resolve, reject) => {
      this.#add(idOf(item), { entry: { table, put: item }, waiting: [{ resolve, reject }] });
    });
  }

  /** Puts an item that has not been written before and is likely to be removed soon. It is written only if that does not happen. */
  putLater(key: Key, makeItem: () => Item): Promise<void> {
    return this.#delayed.add(idOf(key), () => this.put(makeItem()));
  }

  /** Removes an item. `isNew` says that its only write may not have started yet. Callers do not wait for the removal. */
  remove(key: Key, { isNew = false }: { readonly isNew?: boolean } = {}): Promise<void> {
    const id = idOf(key);
    if (this.#delayed.drop(id)) return Promise.resolve();
    const pending = this.#pending.get(id);
    for (const { resolve } of pending?.waiting.splice(0) ?? []) resolve();
    if (pending !== undefined && isNew && pending.mayBeStored !== true) {
      this.#pending.delete(id);
      return Promise.resolve();
    }
    const removed = new Promise<void>((resolve, reject) => {
      const entry = { table: this.#options.table, delete: key };
      this.#add(id, { entry, waiting: [{ resolve, reject }] });
    });
    // The error is logged once for all writes of the request.
    removed.catch(() => undefined);
    return removed;
  }

  /** Resolves once all writes so far have succeeded or failed. */
  flush(): Promise<void> {
    this.#delayed.startAll();
    if (!this.#isRunning) return Promise.resolve();
    return new Promise((resolve) => {
      this.#barriers.push(resolve);
      this.#endPause?.();
    });
  }

  #add(id: string, { entry, waiting }: PendingWrite): void {
    const earlier = this.#pending.get(id);
    // The last write of an item is the last in order.
    this.#pending.delete(id);
    const all = [...(earlier?.waiting ?? []), ...waiting];
    // The item to delete is in the table: a new session's message may have the key of an earlier one.
    const mayBeStored = earlier?.mayBeStored === true || (earlier !== undefined && "delete" in earlier.entry);
    this.#pending.set(id, { entry, waiting: all, mayBeStored });
    if (this.#isRunning) return;
    this.#isRunning = true;
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#pending.size > 0) {
      const barriers = this.#barriers.length;
      if (await this.#write(this.#next())) {
        this.#failures = 0;
        continue;
      }
      for (const resolve of this.#barriers.splice(0, barriers)) resolve();
      if (this.#barriers.length === 0) await this.#pause();
    }
    this.#isRunning = false;
    for (const resolve of this.#barriers.splice(0)) resolve();
  }

  /** Takes the writes of the next attempt. The others can still be superseded. */
  #next(): Map<string, PendingWrite> {
    const next = new Map<string, PendingWrite>();
    for (const [id, write] of this.#pending) {
      if (next.size === itemsAtOnce) break;
      next.set(id, write);
      this.#pending.delete(id);
    }
    return next;
  }

  /** Returns whether all items are written or rejected. The others become pending again. */
  async #write(writes: ReadonlyMap<string, PendingWrite>): Promise<boolean> {
    const { port, table, clock, logger } = this.#options;
    const keyNames = { [table]: ["PK", "SK"] as const };
    const all = [...writes.values()];
    try {
      const entries = all.map(({ entry }) => entry);
      await batchWrite(port, entries, { keyNames, parallel, clock });
      for (const { waiting } of all) for (const { resolve } of waiting) resolve();
      return true;
    } catch (error) {
      logger.error("could not store MQTT sessions", { error });
      if (isClientError(error, "CLIENT_BATCH_INCOMPLETE")) {
        this.#repeat(writes, new Set<unknown>(error.details.done));
        return false;
      }
      for (const { waiting } of all) for (const { reject } of waiting) reject(error);
      return true;
    }
  }

  /** Returns unwritten items to the front of the queue, unless they have a later write. */
  #repeat(writes: ReadonlyMap<string, PendingWrite>, done: ReadonlySet<unknown>): void {
    const again = new Map<string, PendingWrite>();
    for (const [id, write] of writes) {
      const later = this.#pending.get(id);
      if (done.has(write.entry)) for (const { resolve } of write.waiting) resolve();
      else if (later !== undefined) later.waiting.push(...write.waiting);
      else again.set(id, { ...write, mayBeStored: true });
    }
    this.#pending = new Map([...again, ...this.#pending]);
  }

  #pause(): Promise<void> {
    const ms = Math.min(pauseMs.most, pauseMs.first * 2 ** this.#failures++);
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#endPause = undefined;
        resolve();
      };
      const cancel = this.#options.clock.after(ms, end, { background: true });
      this.#endPause = end;
    });
  }
}

function idOf({ PK, SK }: Item | Key): string {
  return `${PK?.S} ${SK?.S}`;
}
