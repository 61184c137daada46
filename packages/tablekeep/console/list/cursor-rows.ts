import { rowCache } from "./row-cache.ts";
import type { Rows } from "./rows.ts";

export interface CursorRowsOptions<Row> {
  readonly keyOf: (row: Row) => string;
  /** One page; `cursor` undefined is the first. */
  readonly fetchPage: (
    cursor: string | undefined,
    signal: AbortSignal,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next?: string | undefined }>;
}

/** Rows of a list that is read page by page: it grows as it is scrolled. */
export function cursorRows<Row>({ keyOf, fetchPage }: CursorRowsOptions<Row>): Rows<Row> {
  const cache = rowCache(keyOf);
  let life = new AbortController();
  let isReading = false;
  let next: string | undefined;

  const read = (cursor: string | undefined) => {
    const { signal } = life;
    isReading = true;
    fetchPage(cursor, signal).then(
      (page) => {
        if (signal.aborted) return;
        isReading = false;
        next = page.next;
        if (cursor === undefined) cache.clear();
        const before = cursor === undefined ? 0 : (cache.state.get().count ?? 0);
        cache.update({
          count: before + page.rows.length,
          mayBeMore: next !== undefined,
          error: undefined,
        });
        cache.put(before, page.rows);
        // A page may be empty although more follow.
        if (page.rows.length === 0 && next !== undefined) read(next);
      },
      (error: Error) => {
        if (signal.aborted) return;
        isReading = false;
        cache.update({ error });
      },
    );
  };
  read(undefined);
  return {
    state: cache.state,
    rowAt: cache.rowAt,
    want(_first, last) {
      const { count = 0 } = cache.state.get();
      if (!isReading && next !== undefined && last >= count - 1) read(next);
    },
    reload() {
      life.abort();
      life = new AbortController();
      read(undefined);
    },
    prepend: cache.prepend,
    remove: cache.remove,
    close: () => life.abort(),
  };
}
