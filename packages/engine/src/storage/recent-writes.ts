import { seriesRegion } from "./series.ts";
import { type KeyRange, lowerBound, type StorageKey } from "./storage.ts";
import type { Changes } from "./undo-log.ts";

/** Up to this many new keys, inserting each is faster than sorting all. */
const maxInserted = 32;

/** An entry of the database. */
interface Entry {
  readonly key: unknown;
  readonly value: string;
}

/** The changes of the latest commits, which the database does not contain yet. Reads find them before the database. */
export class RecentWrites {
  readonly #values = new Map<StorageKey, string | undefined>();
  #sorted: StorageKey[] = [];
  /** New keys, which are sorted when a scan needs them. */
  #unsorted: StorageKey[] = [];
  /** Whether an entry of a series was deleted, or written twice. */
  #hasChangedSeries = false;

  get size(): number {
    return this.#values.size;
  }

  /** The changes; undefined for a deletion. */
  get changes(): Changes {
    return this.#values;
  }

  /** Whether all entries of series are new, even with further changes. Others may take the place of what is stored under their keys. */
  hasNewSeriesOnly(further: Changes): boolean {
    if (this.#hasChangedSeries) return false;
    for (const [key, value] of further) if (this.#changesSeries(key, value)) return false;
    return true;
  }

  #changesSeries(key: StorageKey, value: string | undefined): boolean {
    return key.startsWith(seriesRegion) && (value === undefined || this.#values.has(key));
  }

  add(changes: Changes): void {
    for (const [key, value] of changes) {
      this.#hasChangedSeries ||= this.#changesSeries(key, value);
      if (!this.#values.has(key)) this.#unsorted.push(key);
      this.#values.set(key, value);
    }
  }

  clear(): void {
    if (this.#values.size === 0) return;
    this.#values.clear();
    this.#hasChangedSeries = false;
    this.#sorted = [];
    this.#unsorted = [];
  }

  /** Returns whether a key of the range has changed. */
  hasIn(range: KeyRange): boolean {
    if (this.#values.size === 0) return false;
    this.#sort();
    const first = this.#sorted[lowerBound(this.#sorted, range.start)];
    return first !== undefined && first < range.end;
  }

  /** Visits the entries of a range in its order: those of the database, as they are after the changes. */
  scan(range: KeyRange, entries: Iterable<Entry>, visit: (key: StorageKey, value: string) => boolean): void {
    this.#sort();
    const keys = this.#sorted;
    const from = lowerBound(keys, range.start);
    const to = lowerBound(keys, range.end);
    const step = range.reverse ? -1 : 1;
    let left = to - from;
    let at = range.reverse ? to - 1 : from;
    /** Visits the next change, unless it is a deletion. */
    const visitChange = () => {
      const key = keys[at] as StorageKey;
      const value = this.#values.get(key);
      at += step;
      left--;
      return value === undefined || visit(key, value);
    };
    for (const entry of entries) {
      const key = entry.key as StorageKey;
      while (left > 0 && (range.reverse ? (keys[at] as StorageKey) > key : (keys[at] as StorageKey) < key))
        if (!visitChange()) return;
      if (left > 0 && keys[at] === key ? !visitChange() : !visit(key, entry.value)) return;
    }
    while (left > 0) if (!visitChange()) return;
  }

  #sort(): void {
    const unsorted = this.#unsorted;
    if (unsorted.length === 0) return;
    this.#unsorted = [];
    if (unsorted.length > maxInserted) this.#sorted = [...this.#sorted, ...unsorted].sort(compareKeys);
    else for (const key of unsorted) this.#sorted.splice(lowerBound(this.#sorted, key), 0, key);
  }
}

function compareKeys(one: StorageKey, two: StorageKey): number {
  return one < two ? -1 : 1;
}
