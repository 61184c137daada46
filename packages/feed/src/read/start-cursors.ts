import type { CallOptions } from "@tablekeep/core";
import { isFeedError } from "../feed-error.ts";
import type { FeedPage } from "../pages/page.ts";
import type { FeedPlace } from "./feed-event.ts";
import { checkOf, decodePosition, type PageCursor, passedPage } from "./feed-position.ts";
import { type CheckContext, notPassed, withPassed } from "./passed-pages.ts";

/** Returns where a reader begins in each slice. */
export async function startCursors(
  { store, record }: Pick<CheckContext, "store" | "record">,
  { from = "start" }: { readonly from?: FeedPlace },
  call: CallOptions,
): Promise<PageCursor[]> {
  const { generation, slices } = record;
  const all = Array.from({ length: slices }, (_unused, slice) => slice);
  if (from === "start") return all.map(() => ({ page: 0, skip: 0 }));
  if (typeof from === "string" && from !== "end") {
    const { cursors, check } = decodePosition(from, record);
    const named = await withPassed(store, generation, cursors, call);
    const isKnown = named.every((cursor) => passedPage(cursor) < 0 || cursor.by !== undefined);
    if (isKnown && (check === undefined || check === checkOf(named))) return named;
    throw notPassed(from);
  }
  const { tails } = await store.readCheckpoint(generation, record.arn, call);
  const found = await Promise.all(
    all.map(async (slice) => {
      const end = await store.pages.count(generation, slice, tails[slice] ?? 0, call);
      if (from === "end") return { page: end, skip: 0 };
      const readPage = (number: number) => store.pages.read({ generation, slice, number }, call);
      if ("last" in from) return beforeLast(from.last, end, readPage);
      return { page: await firstPageSince(from.getTime(), end, readPage), skip: 0 };
    }),
  );
  try {
    return await withPassed(store, generation, found, call);
  } catch (error) {
    // A corrupt page does not keep a reader from the pages after it.
    if (isFeedError(error, "FEED_PAGE_CORRUPT")) return found;
    throw error;
  }
}

/** Returns the number of the first page that was written at or after a time, of those below `end`; `end` if there is none. */
async function firstPageSince(
  time: number,
  end: number,
  readPage: (number: number) => Promise<FeedPage | undefined>,
): Promise<number> {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const page = await readPage(middle);
    if (page !== undefined && page.at < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns where the last events of a slice begin, whose pages are those below `end`. */
async function beforeLast(
  events: number,
  end: number,
  readPage: (number: number) => Promise<FeedPage | undefined>,
): Promise<PageCursor> {
  let left = events;
  for (let number = end - 1; number >= 0; number--) {
    const count = (await readPage(number))?.count ?? 0;
    if (count >= left) return { page: number, skip: count - left };
    left -= count;
  }
  return { page: 0, skip: 0 };
}
