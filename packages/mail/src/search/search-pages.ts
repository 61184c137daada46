import { nextTurn } from "../model/background-work.ts";
import type { MailCall } from "../model/mail-context.ts";
import { MailError, optionInvalid } from "../model/mail-error.ts";
import type { MailLayout } from "../model/mail-layout.ts";
import type { MailPage, PageRequest, SearchPage } from "../model/mail-search.ts";
import type { MailSummary } from "../model/message.ts";
import { judgeCandidates } from "./judge-candidates.ts";
import { matchingIds, rememberedSearch } from "./matching-ids.ts";
import { queryCandidates } from "./query/query-candidates.ts";
import type { ResolvedSearch } from "./query/query-term.ts";
import type { SearchResults } from "./search-results.ts";

/** All messages that match, newest first. */
export async function* allMatches(
  layout: MailLayout,
  search: ResolvedSearch,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<MailSummary, void, undefined> {
  const candidates =
    search.kind === "query"
      ? queryCandidates(layout, search, before, call)
      : layout.candidates(search, before, call);
  for await (const batch of candidates) {
    for await (const { summary, matches } of judgeCandidates(layout, search, batch, call))
      if (matches) yield summary;
    // An embedded engine answers at once: without this, a search of all messages would be one turn of the event loop.
    await nextTurn();
  }
}

/** What a search depends on. */
export interface Searched {
  readonly layout: MailLayout;
  readonly results: SearchResults;
}

/** Returns a page of a search, with the number of all matches if requested. */
export async function searchPage(
  { layout, results }: Searched,
  search: ResolvedSearch,
  request: ResolvedPage & { readonly total: boolean },
  call: MailCall,
): Promise<SearchPage> {
  const { index } = layout;
  const remembered = request.total ? rememberedSearch(search) : undefined;
  if (index !== undefined && remembered !== undefined) {
    const ids = matchingIds({ ...layout, index }, remembered, results, call);
    return countedPage(ids, request, (page) => index.summaries(page, call));
  }
  const items: MailSummary[] = [];
  let found = 0;
  let more = false;
  const first = request.before === undefined || !request.total;
  for await (const summary of allMatches(layout, search, first ? request.before : undefined, call)) {
    found++;
    // A total counts from the newest on; the page begins at the cursor.
    if (request.before !== undefined && summary.id >= request.before) continue;
    if (request.before === undefined && found <= request.start) continue;
    if (items.length < request.limit) items.push(summary);
    else more = true;
    if (more && !request.total) break;
  }
  const last = items.at(-1);
  return {
    items,
    ...(request.total && { total: found }),
    ...(more && last !== undefined && { next: encodeCursor(last.id) }),
  };
}

/** Counts matches, and reads the summaries of one page of them. */
async function countedPage(
  matching: AsyncIterable<readonly string[]>,
  { before, start, limit }: ResolvedPage,
  read: (ids: readonly string[]) => Promise<readonly (MailSummary | undefined)[]>,
): Promise<SearchPage> {
  const page: string[] = [];
  let total = 0;
  let more = false;
  for await (const ids of matching) {
    for (const id of ids) {
      total++;
      if (before === undefined ? total <= start : id >= before) continue;
      if (page.length < limit) page.push(id);
      else more = true;
    }
  }
  const items = page.length === 0 ? [] : (await read(page)).filter((summary) => summary !== undefined);
  const last = page.at(-1);
  return { items, total, ...(more && last !== undefined && { next: encodeCursor(last) }) };
}

/** A request for a page, with its defaults. */
export interface ResolvedPage {
  readonly start: number;
  readonly limit: number;
  /** The id at which an earlier page ended. */
  readonly before: string | undefined;
}

export function resolvePage(layout: MailLayout, { start, limit, cursor }: PageRequest): ResolvedPage {
  if (cursor !== undefined && start !== undefined)
    throw optionInvalid("start", "cannot be used together with cursor");
  const before = cursor === undefined ? undefined : decodeCursor(cursor, layout.isId);
  return { start: start ?? 0, limit: limit ?? 50, before };
}

/** A page of all messages. */
export async function listPage(layout: MailLayout, page: ResolvedPage, call: MailCall): Promise<MailPage> {
  const { start, limit, before } = page;
  const items: MailSummary[] = [];
  if (limit === 0) return { items };
  for await (const summary of layout.newest({ before, skip: start, want: limit + 1 }, call)) {
    const last = items.at(-1);
    if (items.length === limit && last !== undefined) return { items, next: encodeCursor(last.id) };
    items.push(summary);
  }
  return { items };
}

/** The cursor after the message with this id. */
function encodeCursor(id: string): string {
  return Buffer.from(id).toString("base64url");
}

function decodeCursor(cursor: string, isId: (id: string) => boolean): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (isId(id)) return id;
  throw cursorInvalid();
}

export function cursorInvalid(): MailError<"MAIL_CURSOR_INVALID"> {
  return new MailError("MAIL_CURSOR_INVALID", "the cursor is not from this store: start without one", {});
}
