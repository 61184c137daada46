import type { CursorRowsOptions } from "./cursor-rows.ts";

/** Rows that are read and sorted together. DynamoDB has no order of partition keys. */
export const sortedCount = 5_000;

type FetchPage<Row> = CursorRowsOptions<Row>["fetchPage"];
type Page<Row> = Awaited<ReturnType<FetchPage<Row>>>;

/**
 * Sorts a list that the server has in no order: the first {@link sortedCount} rows are read and sorted at once; of a longer list,
 * each group that is read is sorted. Until the first group is complete, its first page is shown. After a page that the server scanned a table for, the group ends: the rest is read as it is scrolled to.
 */
export function sortedPages<Row>(
  fetchPage: (...given: Parameters<FetchPage<Row>>) => Promise<Page<Row> & { readonly scan?: true }>,
  compare: (one: Row, other: Row) => number,
): FetchPage<Row> {
  return async (cursor, signal, onPart) => {
    const rows: Row[] = [];
    let next = cursor;
    let isScan: boolean;
    do {
      const page = await fetchPage(next, signal);
      const isFirst = rows.length === 0 && page.rows.length > 0;
      rows.push(...page.rows);
      next = page.next;
      if (isFirst && next !== undefined) onPart?.(rows.toSorted(compare));
      isScan = page.scan === true && rows.length > 0;
    } while (next !== undefined && rows.length < sortedCount && !isScan);
    return { rows: rows.sort(compare), next };
  };
}

/** Compares names: numbers inside them count as numbers, so that `cart-9` is before `cart-10`. */
export const compareNames: (one: string, other: string) => number = new Intl.Collator("en", { numeric: true })
  .compare;

/** Milliseconds that a row must be visible before more of it is read: a fast scroll reads nothing. */
const restMs = 120;

/** Resolves once a row has been visible for a moment; rejects if it is gone by then. */
export async function visibleForAMoment(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, restMs));
  signal.throwIfAborted();
}
