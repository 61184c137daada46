import { batchWrite } from "@tablekeep/client";
import type { Clock, DynamoPort, Item, Key, Logger } from "@tablekeep/core";

/** Dependencies of a writer. */
export interface WriteBehindOptions {
  readonly port: DynamoPort;
  /** A table with the keys `PK` and `SK`. */
  readonly table: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A write that has not started: the last one of its item. */
interface PendingWrite {
  readonly entry:
    | { readonly table: string; readonly put: Item }
    | { readonly table: string; readonly delete: Key };
  readonly waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[];
}

/** Requests in flight at a time. */
const parallel = 4;

/** Items that are written under one deadline: on a slow disk, thousands would take longer than it. */
const itemsAtOnce = 500;

/**
 * Writes items together: everything that comes while a write is in flight is written next, and only the last write of each item. An item that is
 * removed before its write has started is not written at all.
 */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  #pending = new Map<string, PendingWrite>();
  /** Called once everything that is pending now is written. */
  #barriers: (() => void)[] = [];
  #isRunning = false;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
  }

  /** Resolves once the item is stored, or is superseded by a later write of it. */
  put(item: Item): Promise<void> {
    const { table } = this.#options;
    return new Promise((resolve, reject) => {
      const waiting = [...(this.#pending.get(idOf(item))?.waiting ?? []), { resolve, reject }];
      this.#add(idOf(item), { entry: { table, put: item }, waiting });
    });
  }

  /** Removes an item. `isNew` says that its only write may not have started yet. Nothing has to wait for it. */
  remove(key: Key, { isNew = false }: { readonly isNew?: boolean } = {}): Promise<void> {
    const id = idOf(key);
    const pending = this.#pending.get(id);
    for (const { resolve } of pending?.waiting ?? []) resolve();
    if (pending !== undefined && isNew) {
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

  /** Resolves once everything so far is written. */
  flush(): Promise<void> {
    return this.#isRunning ? new Promise((resolve) => this.#barriers.push(resolve)) : Promise.resolve();
  }

  #add(id: string, write: PendingWrite): void {
    // The last write of an item is the last in order.
    this.#pending.delete(id);
    this.#pending.set(id, write);
    if (this.#isRunning) return;
    this.#isRunning = true;
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#pending.size > 0 || this.#barriers.length > 0) {
      const [writes, barriers] = [[...this.#pending.values()], this.#barriers];
      this.#pending = new Map();
      this.#barriers = [];
      for (let from = 0; from < writes.length; from += itemsAtOnce)
        await this.#write(writes.slice(from, from + itemsAtOnce));
      for (const resolve of barriers) resolve();
    }
    this.#isRunning = false;
  }

  async #write(writes: readonly PendingWrite[]): Promise<void> {
    const { port, table, clock, logger } = this.#options;
    const keyNames = { [table]: ["PK", "SK"] as const };
    try {
      const entries = writes.map(({ entry }) => entry);
      await batchWrite(port, entries, { keyNames, parallel, clock });
      for (const { waiting } of writes) for (const { resolve } of waiting) resolve();
    } catch (error) {
      logger.error("MQTT sessions not stored", { error });
      for (const { waiting } of writes) for (const { reject } of waiting) reject(error);
    }
  }
}

function idOf({ PK, SK }: Item | Key): string {
  return `${PK?.S} ${SK?.S}`;
}
