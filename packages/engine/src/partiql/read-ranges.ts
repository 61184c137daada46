import { isDynamoError } from "@tablekeep/core";
import type { StoredItem } from "../item/stored-item.ts";
import type { Source } from "../read/key-range.ts";
import { maxPageBytes, type Page, type PageRead, pageKey, readPage } from "../read/read-page.ts";
import { checkStartKey, rangeAfter } from "../read/start-after.ts";
import type { KeyRange, Storage } from "../storage/storage.ts";
import { invalidToken, type PagePlace } from "./next-token.ts";
import type { SelectPlan } from "./select-plan.ts";

/** What was read of the ranges of a plan. */
export interface RangesRead {
  /** One for each range that was read. */
  readonly pages: readonly Page[];
  /** The last entry that was read, if there may be more after it. */
  readonly stoppedAt: StoredItem | undefined;
  /** Where to go on; absent when all is read. */
  readonly next: PagePlace | undefined;
}

/** Reads ranges one after the other, until `limit` entries, a page's worth of bytes, or the end of the last. */
export function readRanges(
  storage: Storage,
  source: Source,
  { ranges, filter }: SelectPlan,
  start: PagePlace,
  { limit, fetch }: Pick<PageRead, "limit" | "fetch">,
): RangesRead {
  const pages: Page[] = [];
  let left = limit;
  let bytes = 0;
  let range: KeyRange | undefined = firstRange(source, ranges, start);
  for (let at = start.range; range !== undefined; range = ranges[++at]) {
    const maxBytes = maxPageBytes - bytes;
    const page = readPage(storage, range, { filter, limit: left, fetch, fetchFirst: true, maxBytes });
    pages.push(page);
    if (page.stoppedAt !== undefined) {
      const after = pageKey(source, page.stoppedAt);
      return { pages, stoppedAt: page.stoppedAt, next: { range: at, after } };
    }
    bytes += page.bytes + page.fetched.reduce((sum, size) => sum + size, 0);
    left = left === undefined ? undefined : left - page.scanned;
  }
  return { pages, stoppedAt: undefined, next: undefined };
}

/** What is left of the range at which a page begins. */
function firstRange(source: Source, ranges: readonly KeyRange[], start: PagePlace): KeyRange {
  const range = ranges[start.range];
  if (range === undefined) throw invalidToken();
  if (start.after === undefined) return range;
  const rest = rangeAfter(source, range, startKey(source, start.after));
  if (rest === undefined) throw invalidToken();
  return rest;
}

function startKey(source: Source, after: unknown): ReturnType<typeof checkStartKey> {
  try {
    return checkStartKey(source, after);
  } catch (error) {
    throw isDynamoError(error) ? invalidToken() : error;
  }
}
