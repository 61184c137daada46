import type { Store } from "../shell/store.ts";
import { type RowCache, rowCache } from "./row-cache.ts";
import type { Rows, RowsState } from "./rows.ts";

/** The rows to read. */
export interface RowRange {
  readonly start: number;
  readonly limit: number;
  /** The cursor from the previous page, if that page was read: it may cost less than `start`. */
  readonly cursor: string | undefined;
}

export interface OffsetRowsOptions<Row> {
  readonly keyOf: (row: Row) => string;
  /** Returns `limit` rows, or fewer at the end of the list. */
  readonly fetchRows: (
    range: RowRange,
    signal: AbortSignal,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next?: string }>;
  readonly fetchCount: (signal: AbortSignal) => Promise<number>;
  /** Whether the first rows are shown before all are counted, because that takes longer. @default false: both are read at once */
  readonly countsLater?: true;
  /** The number of rows per request. @default 100 */
  readonly pageSize?: number;
}

/** Milliseconds without scrolling after which a page is loaded that scrolling had passed before it arrived. */
const restMs = 80;

/** Milliseconds until what failed is tried again. */
const retryMs = 3_000;

/** Milliseconds between two reads of a list from which others remove rows. */
const soonMs = 1_000;

/** Rows that are this far from the visible ones are dropped. */
const keptRows = 1_000;

/** Rows of a list in which any place can be read: the scroll bar reaches all of them at once. */
export function offsetRows<Row>(options: OffsetRowsOptions<Row>): Rows<Row> {
  const rows = new OffsetRows(options);
  rows.reload();
  return rows;
}

class OffsetRows<Row> implements Rows<Row> {
  readonly state: Store<RowsState>;
  readonly #options: OffsetRowsOptions<Row>;
  readonly #pageSize: number;
  readonly #cache: RowCache<Row>;
  readonly #closed = new AbortController();
  /** Where pages continue, by `index - shift`. */
  readonly #cursors = new Map<number, string>();
  #wanted = { first: 0, last: 0 };
  #rest: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #inFlight: { readonly start: number; readonly abort: AbortController } | undefined;
  /** The number of rows and removals reported so far. */
  #changes = 0;
  /** The number of times that everything was read. Results of earlier reads are ignored. */
  #rounds = 0;

  constructor(options: OffsetRowsOptions<Row>) {
    this.#options = options;
    this.#pageSize = options.pageSize ?? 100;
    this.#cache = rowCache(options.keyOf);
    this.state = this.#cache.state;
  }

  rowAt(index: number): Row | undefined {
    return this.#cache.rowAt(index);
  }

  show(first: number, last: number): void {
    this.#wanted = { first, last };
    this.#cache.forgetBeyond(first, last, keptRows);
    this.#fetchMissing();
  }

  readonly reload = (): void => {
    clearTimeout(this.#retry);
    const isFirst = this.#options.countsLater === true && this.state.get().count === undefined;
    const reading = isFirst ? this.#readFirst() : this.#readAgain();
    reading.catch((error: Error) => this.#fail(error, this.#closed.signal, this.reload));
  };

  prepend(row: Row): void {
    this.#changes++;
    this.#cache.prepend(row);
  }

  change(changes: ReadonlyMap<string, Partial<Row>>): void {
    this.#changes++;
    this.#cache.change(changes);
  }

  remove(keys: ReadonlySet<string>): void {
    this.#changes++;
    const { first, last } = this.#wanted;
    const removed = this.#cache.remove(keys, (first + last) / 2);
    // A read in flight may or may not include them.
    this.#inFlight?.abort.abort();
    this.#inFlight = undefined;
    this.#cursors.clear();
    this.#fetchMissing();
    // Rows that are not in the page may be anywhere: how many are left, and which are shown, has to be read.
    if (removed.size < keys.size) this.#reloadSoon();
  }

  #reloadSoon(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.reload();
    }, soonMs);
  }

  close(): void {
    clearTimeout(this.#rest);
    clearTimeout(this.#retry);
    clearTimeout(this.#soon);
    this.#closed.abort();
  }

  /** One request at a time, always for the rows shown now: a fast scroll causes few requests, and none that are obsolete. */
  #fetchMissing(): void {
    const missing = this.#firstMissing();
    if (missing === undefined || this.#closed.signal.aborted) return;
    const start = this.#pageWith(missing);
    if (this.#inFlight?.start === start) return;
    if (this.#inFlight !== undefined || this.#rest !== undefined) {
      this.#fetchAfterRest();
      return;
    }
    const abort = new AbortController();
    this.#inFlight = { start, abort };
    const signal = AbortSignal.any([this.#closed.signal, abort.signal]);
    this.#read(start, signal).catch((error: Error) => {
      if (!signal.aborted) this.#inFlight = undefined;
      this.#fail(error, signal, () => this.#fetchMissing());
    });
  }

  #fetchAfterRest(): void {
    this.#inFlight?.abort.abort();
    this.#inFlight = undefined;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      this.#rest = undefined;
      this.#fetchMissing();
    }, restMs);
  }

  async #read(start: number, signal: AbortSignal): Promise<void> {
    const { shift } = this.state.get();
    const range = { start, limit: this.#pageSize, cursor: this.#cursors.get(start - shift) };
    const { rows, next } = await this.#options.fetchRows(range, signal);
    if (signal.aborted) return;
    this.#inFlight = undefined;
    // Rows may have been put on top meanwhile: these have moved down with all others.
    const moved = start + this.state.get().shift - shift;
    if (next !== undefined) this.#cursors.set(start + rows.length - shift, next);
    // The last page shows how many there are, whatever was deleted or added meanwhile.
    const isLast = rows.length < range.limit || next === undefined;
    this.#cache.update({ error: undefined, ...(isLast && { count: moved + rows.length }) });
    this.#cache.put(moved, rows);
    this.#fetchMissing();
  }

  /** Shows the first rows before their number is read. */
  async #readFirst(): Promise<void> {
    const { signal } = this.#closed;
    const [round, before] = [++this.#rounds, this.#changes];
    const { rows, next } = await this.#options.fetchRows(
      { start: 0, limit: this.#pageSize, cursor: undefined },
      signal,
    );
    if (round !== this.#rounds) return;
    this.#replace(0, rows, { count: rows.length, mayBeMore: next !== undefined });
    if (next !== undefined) {
      const count = await this.#options.fetchCount(signal);
      if (round !== this.#rounds) return;
      this.#cache.update({ count: Math.max(count, rows.length), mayBeMore: false });
    }
    this.#fetchMissing();
    if (this.#changes !== before) this.#reloadSoon();
  }

  async #readAgain(): Promise<void> {
    const { signal } = this.#closed;
    const round = ++this.#rounds;
    const range = { start: this.#pageWith(this.#wanted.first), limit: this.#pageSize, cursor: undefined };
    const { fetchCount, fetchRows } = this.#options;
    const before = this.#changes;
    const [count, { rows }] = await Promise.all([fetchCount(signal), fetchRows(range, signal)]);
    if (round !== this.#rounds) return;
    this.#replace(range.start, rows, { count, mayBeMore: false });
    this.#fetchMissing();
    // Changes that were reported meanwhile may be missing from what was read.
    if (this.#changes !== before) this.#reloadSoon();
  }

  /** Replaces all rows. */
  #replace(start: number, rows: readonly Row[], counted: Pick<RowsState, "count" | "mayBeMore">): void {
    this.#inFlight?.abort.abort();
    this.#inFlight = undefined;
    this.#cursors.clear();
    const shift = this.state.get().shift + this.#movedIn(start, rows);
    this.#cache.clear();
    this.#cache.update({ ...counted, error: undefined, shift });
    this.#cache.put(start, rows);
  }

  /** By how many places the row in the middle of those shown has moved down, in rows that were read again. */
  #movedIn(start: number, rows: readonly Row[]): number {
    const middle = Math.floor((this.#wanted.first + this.#wanted.last) / 2);
    const shown = this.#cache.rowAt(middle);
    if (shown === undefined) return 0;
    const { keyOf } = this.#options;
    const found = rows.findIndex((row) => keyOf(row) === keyOf(shown));
    return found === -1 ? 0 : start + found - middle;
  }

  /** Pages begin at multiples of their size as the list was at first, so that cursors are met again. */
  #pageWith(index: number): number {
    const { shift } = this.state.get();
    return Math.max(0, Math.floor((index - shift) / this.#pageSize) * this.#pageSize + shift);
  }

  #firstMissing(): number | undefined {
    const last = Math.min(this.#wanted.last, (this.state.get().count ?? 0) - 1);
    for (let index = this.#wanted.first; index <= last; index++)
      if (this.#cache.rowAt(index) === undefined) return index;
    return undefined;
  }

  #fail(error: Error, signal: AbortSignal, again: () => void): void {
    if (signal.aborted) return;
    this.#cache.update({ error });
    clearTimeout(this.#retry);
    this.#retry = setTimeout(again, retryMs);
  }
}
