import { createStore, type Store } from "../shell/store.ts";
import type { RowsState } from "./rows.ts";

/** Rows by `index - shift`, with the state that a list is drawn from. */
export interface RowCache<Row> {
  readonly state: Store<RowsState>;
  rowAt(index: number): Row | undefined;
  /** Keeps rows from an index on. */
  put(index: number, rows: readonly Row[]): void;
  clear(): void;
  prepend(row: Row): void;
  has(key: string): boolean;
  /** Changes fields of rows that are kept. */
  change(changes: ReadonlyMap<string, Partial<Row>>): void;
  /** Removes rows, and returns their keys. Those from the index `anchor` on close the gap upwards, others downwards. */
  remove(keys: ReadonlySet<string>, anchor: number): ReadonlySet<string>;
  /** Forgets rows that are further away than this from a span. */
  forgetBeyond(first: number, last: number, distance: number): void;
  update(change: Partial<RowsState>): void;
}

export function rowCache<Row>(keyOf: (row: Row) => string): RowCache<Row> {
  const empty: RowsState = { count: undefined, mayBeMore: false, shift: 0, error: undefined };
  const state = createStore(empty);
  let rows = new Map<number, Row>();
  /** Where the row of each key is. */
  let positions = new Map<string, number>();
  const update = (change: Partial<RowsState>) => state.set({ ...state.get(), ...change });
  const positionOf = (key: string) => positions.get(key);
  const drop = (position: number) => {
    const row = rows.get(position);
    rows.delete(position);
    if (row !== undefined && positions.get(keyOf(row)) === position) positions.delete(keyOf(row));
  };
  const place = (position: number, row: Row) => {
    drop(position);
    rows.set(position, row);
    positions.set(keyOf(row), position);
  };
  return {
    state,
    rowAt: (index) => rows.get(index - state.get().shift),
    put(index, added) {
      const { shift } = state.get();
      for (const [at, row] of added.entries()) place(index + at - shift, row);
      update({});
    },
    clear() {
      rows.clear();
      positions.clear();
    },
    prepend(row) {
      const known = positionOf(keyOf(row));
      const { shift, count = 0 } = state.get();
      place(known ?? -shift - 1, row);
      update(known === undefined ? { shift: shift + 1, count: count + 1 } : {});
    },
    has: (key) => positionOf(key) !== undefined,
    change(changes) {
      for (const [key, change] of changes) {
        const position = positionOf(key);
        const row = position === undefined ? undefined : rows.get(position);
        if (position !== undefined && row !== undefined) place(position, { ...row, ...change });
      }
      update({});
    },
    remove(keys, anchor) {
      const { shift, count = 0 } = state.get();
      const gone = [...rows].filter(([, row]) => keys.has(keyOf(row)));
      if (gone.length === 0) return new Set();
      const removed = new Set(gone.map(([position]) => position));
      const above = [...removed].filter((position) => position + shift < anchor);
      const below = [...removed].filter((position) => position + shift >= anchor);
      const moved = (position: number) =>
        position +
        above.filter((each) => each > position).length -
        below.filter((each) => each < position).length;
      const kept = [...rows].filter(([position]) => !removed.has(position));
      rows = new Map(kept.map(([position, row]) => [moved(position), row]));
      positions = new Map([...rows].map(([position, row]) => [keyOf(row), position]));
      update({ count: Math.max(0, count - gone.length), shift: shift - above.length });
      return new Set(gone.map(([, row]) => keyOf(row)));
    },
    forgetBeyond(first, last, distance) {
      const { shift } = state.get();
      for (const position of rows.keys()) {
        const index = position + shift;
        if (index < first - distance || index > last + distance) drop(position);
      }
    },
    update,
  };
}
