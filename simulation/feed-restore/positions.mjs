import { pageKey } from "./truth.mjs";

/** The number of the page that a cursor has passed last, or is within; -1 at the start. */
function passedPage({ page, skip }) {
  return skip === 0 ? page - 1 : page;
}

/** The cursor after some events of a page: within it, or after it. `passed` is for the model to judge by, and not part of a position. */
export function cursorAfter(page, { slice, number }, skip, fault) {
  const isEnd = skip === page.events.length;
  const cursor = isEnd ? { page: number + 1, skip: 0 } : { page: number, skip };
  const isNamed = !(fault === "boundary-unnamed" && isEnd) && !(fault === "middle-unnamed" && !isEnd);
  const passed = { slice, number, put: page.put };
  return { ...cursor, offset: page.first + skip, passed, ...(isNamed && { by: page.by }) };
}

/** Returns whether the feed has what a cursor has passed. */
export function* isKnown(slice, cursor, fault) {
  const number = passedPage(cursor);
  if (number < 0) return true;
  const page = yield { get: pageKey(slice, number) };
  if (fault === "there-is-enough") return page !== undefined;
  if (page === undefined || page.first + (cursor.skip || page.events.length) !== cursor.offset) return false;
  if (cursor.skip > page.events.length) return false;
  if (fault === "identity-ignored" || cursor.by === undefined) return true;
  if (fault === "next-page-named" && cursor.skip === 0) {
    const next = yield { get: pageKey(slice, cursor.page) };
    return cursor.next === undefined || next?.by === cursor.next;
  }
  return page.by === cursor.by;
}

/** Names the page that a cursor has passed by the one that is there: a mistake. */
export function* renamed(slice, cursor) {
  const number = passedPage(cursor);
  const page = number < 0 ? undefined : yield { get: pageKey(slice, number) };
  return page === undefined ? cursor : { ...cursor, by: page.by };
}

/** Returns whether a page is the one that a cursor is within, or follows the one that it has passed. */
export function follows(page, { skip, by }, fault) {
  if (by === undefined || fault === "next-unchecked") return true;
  if (skip === 0) return page.after === by;
  return fault === "middle-unchecked" || page.by === by;
}
