import { rowCache } from "./row-cache.ts";
import type { Rows } from "./rows.ts";

/** Rows that are only in the page. */
export interface HeldRows<Row> extends Rows<Row> {
  /** The row with a key; undefined if there is none. */
  find(key: string): Row | undefined;
}

/** Rows that arrive one by one, newest on top. The oldest ones are dropped beyond `maxRows`. */
export function heldRows<Row>(keyOf: (row: Row) => string, maxRows: number): HeldRows<Row> {
  const cache = rowCache(keyOf);
  cache.update({ count: 0 });
  return {
    state: cache.state,
    rowAt: cache.rowAt,
    show() {},
    reload() {},
    prepend(row) {
      cache.prepend(row);
      const { count = 0 } = cache.state.get();
      const oldest = count > maxRows ? cache.rowAt(count - 1) : undefined;
      if (oldest !== undefined) cache.remove(new Set([keyOf(oldest)]), 0);
    },
    change: cache.change,
    remove: (keys) => void cache.remove(keys, 0),
    close() {},
    find(key) {
      const { count = 0 } = cache.state.get();
      for (let at = 0; at < count; at++) {
        const row = cache.rowAt(at);
        if (row !== undefined && keyOf(row) === key) return row;
      }
      return undefined;
    },
  };
}
