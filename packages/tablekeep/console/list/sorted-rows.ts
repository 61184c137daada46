import type { Rows, RowsState } from "./rows.ts";

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
