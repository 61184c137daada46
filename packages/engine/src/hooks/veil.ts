import type { Clock } from "@tablekeep/core";
import type { StorageKey } from "../storage/storage.ts";

/** What readers see of a key, and until when. */
interface OldView {
  readonly value: string | undefined;
  readonly until: number;
}

/** What readers do not see yet: keys whose old value is still shown for a while. Times are the clock's `monotonic`. */
export class Veil {
  readonly #clock: Clock;
  /** The views of a key follow each other: the first that has not ended is shown. */
  readonly #views = new Map<StorageKey, OldView[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Shows `value`, what a key held before a write, until a time. */
  cover(key: StorageKey, value: string | undefined, until: number): void {
    const views = this.#views.get(key) ?? [];
    views.push({ value, until });
    this.#views.set(key, views);
  }

  get isEmpty(): boolean {
    return this.#views.size === 0;
  }

  /** What readers see instead of what is stored; undefined if they see that. */
  viewOf(key: StorageKey): OldView | undefined {
    const views = this.#views.get(key);
    if (views === undefined) return undefined;
    const now = this.#clock.monotonic();
    while (views[0] !== undefined && views[0].until <= now) views.shift();
    if (views.length === 0) this.#views.delete(key);
    return views[0];
  }

  /** The covered keys of a range in order, with what is shown of them. */
  within(start: StorageKey, end: StorageKey): (readonly [StorageKey, string | undefined])[] {
    const keys = [...this.#views.keys()].filter((key) => key >= start && key < end).sort();
    return keys.flatMap((key) => {
      const view = this.viewOf(key);
      return view === undefined ? [] : [[key, view.value] as const];
    });
  }

  /** Everything is seen as it is. */
  lift(): void {
    this.#views.clear();
  }
}
