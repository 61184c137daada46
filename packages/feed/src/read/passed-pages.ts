import type { CallOptions } from "@tablekeep/core";
import { type FeedError, isFeedError } from "../feed-error.ts";
import type { FeedRecord } from "../store/feed-record.ts";
import type { FeedStore } from "../store/feed-store.ts";
import { encodePosition, type PageCursor, passedPage, positionInvalid } from "./feed-position.ts";

/** Dependencies of the comparison of cursors with pages. */
export interface CheckContext {
  readonly store: FeedStore;
  readonly record: FeedRecord;
  /** Returns how many slices the feed has. Throws `FEED_POSITION_OUTDATED` once it has another generation, and `FEED_UNKNOWN` if it is gone. */
  readonly checkGeneration: (consistent: boolean) => Promise<number>;
}

/** What to do if the feed does not have the pages that a reader has passed. */
export const restoredAdvice = "if its table was restored, begin again from the start or from a time";

/** Returns the error for a position whose earlier events the feed does not have. */
export function notPassed(position: string): FeedError<"FEED_POSITION_INVALID"> {
  return positionInvalid(position, `the feed does not have the events before it (${restoredAdvice})`);
}

/** Throws `FEED_POSITION_INVALID` unless the feed has the pages that were passed last in these slices. */
export async function checkPassed(
  { store, record, checkGeneration }: CheckContext,
  cursors: readonly PageCursor[],
  slices: readonly number[],
  call: CallOptions,
): Promise<void> {
  const { generation } = record;
  const held = slices.filter((slice) => cursors[slice]?.by !== undefined);
  let names: ReadonlyMap<number, string>;
  try {
    names = await passedNames(store, generation, cursors, held, call);
  } catch (error) {
    // A corrupt page does not keep a reader from the pages after it.
    if (isFeedError(error, "FEED_PAGE_CORRUPT")) return;
    throw error;
  }
  if (held.every((slice) => names.get(slice) === cursors[slice]?.by)) return;
  // The pages of an old generation are removed.
  await checkGeneration(true);
  throw notPassed(encodePosition(generation, cursors));
}

/**
 * Adds to each cursor the name of the page before it. A page that the feed does not have gets no name: the table was restored to an earlier
 * time, and other events will get these offsets.
 */
export async function withPassed(
  store: FeedStore,
  generation: number,
  cursors: readonly PageCursor[],
  call: CallOptions,
): Promise<PageCursor[]> {
  const names = await passedNames(store, generation, cursors, [...cursors.keys()], call);
  return cursors.map(({ page, skip }, slice) => {
    const by = names.get(slice);
    return { page, skip, ...(by !== undefined && { by }) };
  });
}

/** Returns the name of the last page that was passed in each of these slices, where the feed has it. */
async function passedNames(
  store: FeedStore,
  generation: number,
  cursors: readonly PageCursor[],
  slices: readonly number[],
  call: CallOptions,
): Promise<Map<number, string>> {
  const passed = slices.flatMap((slice) => {
    const number = passedPage(cursors[slice] ?? { page: 0, skip: 0 });
    return number < 0 ? [] : [{ generation, slice, number }];
  });
  // An eventually consistent read costs half and finds most of them. One that it does not find may be new.
  const pages = await store.pages.readAll(passed, call, false);
  const missing = passed.filter((_place, at) => pages[at] === undefined);
  const found = missing.length === 0 ? [] : await store.pages.readAll(missing, call);
  const names = new Map<number, string>();
  for (const [at, { slice }] of passed.entries()) {
    const page = pages[at] ?? found[missing.findIndex((place) => place.slice === slice)];
    if (page !== undefined) names.set(slice, page.by);
  }
  return names;
}
