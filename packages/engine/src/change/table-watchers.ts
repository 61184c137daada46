import type { Item, Key } from "@tablekeep/core";
import { ItemAnswer } from "../answer/item-answer.ts";
import { checkKeySchema } from "../catalog/check-keys.ts";
import { itemKey } from "../catalog/storage-keys.ts";
import type { TableModel } from "../catalog/table-model.ts";
import type { Storage } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";
import { checkItem } from "../values/check-item.ts";
import { StoredItem } from "../values/stored-item.ts";
import type { Change, Images } from "./change.ts";

/** An item before and after a write; undefined where there is none. All listeners share the items: do not change them. */
export interface ItemChange {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/**
 * Receives everything that one request changed in a table, once that is durable and before the request's caller is
 * notified. `read` returns another item of the table in its current state.
 */
export type TableListener = (changes: readonly ItemChange[], read: (key: Key) => Item | undefined) => void;

/** Reports committed changes to listeners in this process, in the order of the commits. */
export class TableWatchers {
  readonly #storage: Storage;
  readonly #listeners = new Map<string, Set<TableListener>>();
  readonly #collected = new WeakMap<WriteTransaction, Map<TableModel, Change[]>>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** Reports every change to a table from now on. Returns a function that stops it. */
  add(table: string, listener: TableListener): () => void {
    const listeners = this.#listeners.get(table) ?? new Set();
    this.#listeners.set(table, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(table) === listeners) this.#listeners.delete(table);
    };
  }

  /** Collects a change for the listeners of its table. */
  collect(transaction: WriteTransaction, table: TableModel, change: Change): void {
    if (!this.#listeners.has(table.name)) return;
    let byTable = this.#collected.get(transaction);
    if (byTable === undefined) {
      byTable = new Map();
      this.#collected.set(transaction, byTable);
    }
    const collected = byTable.get(table);
    if (collected !== undefined) {
      collected.push(change);
      return;
    }
    const changes = [change];
    byTable.set(table, changes);
    transaction.onCommitted(() => this.#report(table, changes));
  }

  #report(table: TableModel, changes: readonly Change[]): void {
    const read = (key: Key) => {
      const text = this.#storage.get(itemKey(table, checkKeySchema(table, checkItem(key).item)));
      return text === undefined ? undefined : itemOf(new StoredItem(text));
    };
    const images = changes.map(imagesOf);
    for (const listener of this.#listeners.get(table.name) ?? []) {
      try {
        listener(images, read);
      } catch (error) {
        // The write is durable: its callers must not see this error.
        setImmediate(() => {
          throw error;
        });
      }
    }
  }
}

/** The images are parsed on demand: few listeners read both. */
export function imagesOf({ before, after }: Images): ItemChange {
  let old: Item | undefined;
  let current: Item | undefined;
  return {
    get before() {
      old ??= itemOf(before);
      return old;
    },
    get after() {
      current ??= itemOf(after);
      return current;
    },
  };
}

/** Without bytes, the parsed item of the write itself is an item of the port. */
function itemOf(stored: StoredItem | undefined): Item | undefined {
  if (stored === undefined) return undefined;
  return stored.hasBytes ? ItemAnswer.ofStored(stored).toItem() : (stored.item as Item);
}
