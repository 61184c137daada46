import type { Clock } from "@tablekeep/core";
import { regions } from "../catalog/storage-keys.ts";
import type { KeyRange, Storage, StorageKey } from "../storage/storage.ts";
import type { WriteTransaction } from "../storage/write-queue.ts";

/** The value of a key that readers see, and until when. */
interface OldView {
  readonly value: string | undefined;
  readonly until: number;
}

/** Delays when writes become visible: readers see a key's old value for a while. Times are the clock's `monotonic`. */
export class DelayedVisibility {
  readonly #clock: Clock;
  /** The old values of a key, in order: readers see the first that has not ended. */
  readonly #views = new Map<StorageKey, OldView[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Shows `value`, the value of a key before a write, until a time. */
  showUntil(key: StorageKey, value: string | undefined, until: number): void {
    const views = this.#views.get(key) ?? [];
    views.push({ value, until });
    this.#views.set(key, views);
  }

  get isEmpty(): boolean {
    return this.#views.size === 0;
  }

  /** Returns what readers see instead of the stored value; undefined if they see that. */
  viewOf(key: StorageKey): OldView | undefined {
    const views = this.#views.get(key);
    if (views === undefined) return undefined;
    const now = this.#clock.monotonic();
    while (views[0] !== undefined && views[0].until <= now) views.shift();
    if (views.length === 0) this.#views.delete(key);
    return views[0];
  }

  /** Returns the delayed keys of a range in order, with the values that readers see. */
  within(start: StorageKey, end: StorageKey): (readonly [StorageKey, string | undefined])[] {
    const keys = [...this.#views.keys()].filter((key) => key >= start && key < end).sort();
    return keys.flatMap((key) => {
      const view = this.viewOf(key);
      return view === undefined ? [] : [[key, view.value] as const];
    });
  }

  /** Makes everything visible. */
  clear(): void {
    this.#views.clear();
  }
}

/** A storage as readers see it, with delayed visibility. */
export class DelayedStorage implements Storage {
  readonly #storage: Storage;
  readonly #visibility: DelayedVisibility;

  constructor(storage: Storage, visibility: DelayedVisibility) {
    this.#storage = storage;
    this.#visibility = visibility;
  }

  get(key: StorageKey): string | undefined {
    const view = this.#visibility.isEmpty ? undefined : this.#visibility.viewOf(key);
    return view === undefined ? this.#storage.get(key) : view.value;
  }

  scan(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    if (this.#visibility.isEmpty) this.#storage.scan(range, visit);
    else this.#scanDelayed(range, visit);
  }

  commit(writes: ReadonlyMap<StorageKey, string | undefined>): void {
    this.#storage.commit(writes);
  }

  checkpoint(): object {
    return this.#storage.checkpoint();
  }

  restore(checkpoint: object): void {
    this.#visibility.clear();
    this.#storage.restore(checkpoint);
  }

  close(): Promise<void> {
    return this.#storage.close();
  }

  /** Merges the old values of delayed keys into the stored ones. */
  #scanDelayed(range: KeyRange, visit: (key: StorageKey, value: string) => boolean): void {
    const delayed = this.#visibility.within(range.start, range.end);
    if (range.reverse) delayed.reverse();
    const isBefore = (one: StorageKey, two: StorageKey) => (range.reverse ? one > two : one < two);
    let at = 0;
    const visitDelayed = (limit: StorageKey | undefined): boolean => {
      for (; at < delayed.length; at++) {
        const [key, value] = delayed[at] as (typeof delayed)[number];
        if (limit !== undefined && !isBefore(key, limit)) return true;
        if (value !== undefined && !visit(key, value)) return false;
      }
      return true;
    };
    let wantsMore = true;
    this.#storage.scan(range, (key, value) => {
      wantsMore = visitDelayed(key) && (delayed[at]?.[0] === key || visit(key, value));
      return wantsMore;
    });
    if (wantsMore) visitDelayed(undefined);
  }
}

/**
 * Returns a transaction whose changes to items and index entries become visible at a time that is determined at its
 * commit.
 */
export function delayWrites(
  transaction: WriteTransaction,
  visibility: DelayedVisibility,
  end: () => number,
): WriteTransaction {
  const delay = (key: StorageKey) => {
    if (!key.startsWith(regions.items) && !key.startsWith(regions.indexes)) return;
    const before = transaction.get(key);
    transaction.onCommitted(() => visibility.showUntil(key, before, end()));
  };
  return {
    ...transaction,
    put(key, value) {
      delay(key);
      transaction.put(key, value);
    },
    delete(key) {
      delay(key);
      transaction.delete(key);
    },
  };
}
