import { rowCache } from "./row-cache.ts";
import type { Rows } from "./rows.ts";

export interface CursorRowsOptions<Row> {
  readonly keyOf: (row: Row) => string;
  /** One page; `cursor` undefined is the first. `onPart` shows a part of the first page until it is complete. */
  readonly fetchPage: (
    cursor: string | undefined,
    signal: AbortSignal,
    onPart?: (rows: readonly Row[]) => void,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next?: string }>;
}

/** Rows of a list that is read page by page. */
export interface CursorRows<Row> extends Rows<Row> {
  /** Adds rows on top that are new since the list was read. Visible rows keep their place. */
  catchUp(): Promise<void>;
}

/** Pages that are read to find new rows; if there are more, the list is read again. */
const maxNewPages = 10;

/** Rows of a list that is read page by page: it grows as it is scrolled. */
export function cursorRows<Row>({ keyOf, fetchPage }: CursorRowsOptions<Row>): CursorRows<Row> {
  const cache = rowCache(keyOf);
  let life = new AbortController();
  let isReading = false;
  let next: string | undefined;
  let middle = 0;

  const read = (cursor: string | undefined) => {
    const { signal } = life;
    isReading = true;
    const onPart = (rows: readonly Row[]) => {
      if (signal.aborted || cache.state.get().count !== undefined) return;
      cache.update({ count: rows.length, mayBeMore: true, error: undefined });
      cache.put(0, rows);
    };
    fetchPage(cursor, signal, onPart).then(
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
  const reload = () => {
    life.abort();
    life = new AbortController();
    read(undefined);
  };
  const catchUp = async () => {
    if (cache.state.get().count === 0) return reload();
    const { signal } = life;
    const added = await newRows(fetchPage, (row) => cache.has(keyOf(row)), signal);
    if (signal.aborted) return;
    if (added === undefined) reload();
    else for (const row of added.reverse()) cache.prepend(row);
  };
  read(undefined);
  return {
    state: cache.state,
    rowAt: cache.rowAt,
    show(first, last) {
      middle = (first + last) / 2;
      const { count = 0 } = cache.state.get();
      if (!isReading && next !== undefined && last >= count - 1) read(next);
    },
    reload,
    catchUp,
    prepend: cache.prepend,
    change: cache.change,
    remove: (keys) => void cache.remove(keys, middle),
    close: () => life.abort(),
  };
}

/** Reads the rows above those that are known; undefined if they are very many. */
async function newRows<Row>(
  fetchPage: CursorRowsOptions<Row>["fetchPage"],
  isKnown: (row: Row) => boolean,
  signal: AbortSignal,
): Promise<Row[] | undefined> {
  const found: Row[] = [];
  let cursor: string | undefined;
  for (let pages = 1; pages <= maxNewPages; pages++) {
    const { rows, next } = await fetchPage(cursor, signal);
    // What follows the last known row may be a part of the list that was not read yet.
    const last = rows.findLastIndex(isKnown);
    const front = last === -1 ? rows : rows.slice(0, last);
    found.push(...front.filter((row) => !isKnown(row)));
    if (last !== -1 || next === undefined) return found;
    cursor = next;
  }
  return undefined;
}
