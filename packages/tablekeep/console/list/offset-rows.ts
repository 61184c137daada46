import { rowCache } from "./row-cache.ts";
import type { Rows } from "./rows.ts";

export interface OffsetRowsOptions<Row> {
  readonly keyOf: (row: Row) => string;
  readonly fetchRows: (start: number, limit: number, signal: AbortSignal) => Promise<readonly Row[]>;
  readonly fetchCount: (signal: AbortSignal) => Promise<number>;
  /** Rows asked for at once. @default 100 */
  readonly pageSize?: number;
}

/** Rows that are this far from those shown are forgotten. */
const keptRows = 1_000;

/** Rows of a list in which any place can be read: the scroll bar reaches all of them at once. */
export function offsetRows<Row>(options: OffsetRowsOptions<Row>): Rows<Row> {
  const { keyOf, fetchRows, fetchCount, pageSize = 100 } = options;
  const cache = rowCache(keyOf);
  const closed = new AbortController();
  let wanted = { first: 0, last: 0 };
  let underWay: { start: number; abort: AbortController } | undefined;

  /** One request at a time, always for what is shown now: a fast scroll leaves nothing behind. */
  const fetchMissing = () => {
    const start = firstMissing(wanted.first, Math.min(wanted.last, (cache.state.get().count ?? 0) - 1));
    if (start === undefined || closed.signal.aborted) return;
    if (underWay !== undefined) {
      if (start >= underWay.start && start < underWay.start + pageSize) return;
      underWay.abort.abort();
    }
    const request = { start, abort: new AbortController() };
    underWay = request;
    const signal = AbortSignal.any([closed.signal, request.abort.signal]);
    fetchRows(start, pageSize, signal).then(
      (rows) => {
        if (underWay !== request) return;
        underWay = undefined;
        // Fewer rows than there should be: others have deleted some.
        if (rows.length === 0) cache.update({ count: start, error: undefined });
        else cache.update({ error: undefined });
        cache.put(start, rows);
        fetchMissing();
      },
      (error: Error) => {
        if (underWay === request) underWay = undefined;
        if (!signal.aborted) cache.update({ error });
      },
    );
  };
  const firstMissing = (first: number, last: number): number | undefined => {
    for (let index = first; index <= last; index++) if (cache.rowAt(index) === undefined) return index;
    return undefined;
  };
  const reload = () => {
    fetchCount(closed.signal).then(
      (count) => {
        underWay?.abort.abort();
        underWay = undefined;
        cache.clear();
        cache.update({ count, error: undefined });
        fetchMissing();
      },
      (error: Error) => {
        if (!closed.signal.aborted) cache.update({ error });
      },
    );
  };
  reload();
  return {
    state: cache.state,
    rowAt: cache.rowAt,
    want(first, last) {
      wanted = { first, last };
      cache.forgetBeyond(first, last, keptRows);
      fetchMissing();
    },
    reload,
    prepend: cache.prepend,
    remove: cache.remove,
    close: () => closed.abort(),
  };
}
