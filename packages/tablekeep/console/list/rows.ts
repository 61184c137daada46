import type { Store } from "../shell/store.ts";

/** The state of a list of rows. A new object after every change. */
export interface RowsState {
  /** The number of rows, as far as known; undefined before the first response. */
  readonly count: number | undefined;
  /** Whether there are more rows than `count`. */
  readonly mayBeMore: boolean;
  /**
   * How many rows were put above those that are shown since the list began, less those that were removed there:
   * `index - shift` names a row for as long as no other is removed below the view.
   */
  readonly shift: number;
  /** Why rows are missing. */
  readonly error: Error | undefined;
}

/** The rows of a list, fetched as they are shown. Indexes count from 0, the top. */
export interface Rows<Row> {
  readonly state: Store<RowsState>;
  /** Undefined if it is not fetched yet. */
  rowAt(index: number): Row | undefined;
  /** Shows these rows: they are fetched, and rows far from them may be dropped. */
  show(first: number, last: number): void;
  /** Reads everything again. Rows that are shown stay until the new ones are read. */
  reload(): void;
  /** Puts a new row at the top, or replaces the one with its key. */
  prepend(row: Row): void;
  /** Changes fields of the rows with these keys that are fetched. */
  change(changes: ReadonlyMap<string, Partial<Row>>): void;
  /** Removes the rows with these keys. Rows that are shown keep their place. */
  remove(keys: ReadonlySet<string>): void;
  /** Aborts requests in flight. */
  close(): void;
}

/** Rows in another order: those that are read so far. Without an order they are as they come. */
export function sortedRows<Row>(
  rows: Rows<Row>,
  order: ((one: Row, other: Row) => number) | undefined,
): Rows<Row> {
  if (order === undefined) return rows;
  let sorted: readonly Row[] = [];
  let sortedFor: RowsState | undefined;
  return {
    ...rows,
    rowAt(index) {
      const state = rows.state.get();
      if (state !== sortedFor) {
        const all = Array.from({ length: state.count ?? 0 }, (_, at) => rows.rowAt(at));
        sorted = all.filter((row) => row !== undefined).toSorted(order);
        sortedFor = state;
      }
      return sorted[index];
    },
  };
}
