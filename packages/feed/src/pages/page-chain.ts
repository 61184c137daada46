import { type FeedPage, pageCorrupt } from "./page.ts";

/** The position of a process in a slice: within a page, or after one. */
interface HeldPlace {
  /** How many events of the next page it has passed. */
  readonly skip: number;
  /** Identifies the put of the page that it has passed last or is in. Undefined if unknown. */
  readonly by?: string;
}

/**
 * Returns how many of these consecutive pages continue what a process has read before. A table that is replaced while the process runs has other
 * pages with the same numbers: each page names the one before it, so no further read is needed to notice.
 */
export function countContinuing({ skip, by }: HeldPlace, pages: readonly FeedPage[]): number {
  let before = by;
  for (const [at, page] of pages.entries()) {
    const named = at === 0 && skip > 0 ? page.by : page.after;
    if (before !== undefined && named !== undefined && named !== before) return at;
    before = page.by;
  }
  return pages.length;
}

/**
 * Returns a page that was read again because it did not continue what was read before, although the page before it is there: the first read may have been
 * in the middle of a change. Throws `FEED_PAGE_CORRUPT` if it still does not.
 */
export function readAgain(held: HeldPlace, slice: number, page: FeedPage | undefined): FeedPage[] {
  if (page === undefined) return [];
  if (countContinuing(held, [page]) > 0) return [page];
  throw pageCorrupt(slice, page.number, "it does not follow the page before it");
}
