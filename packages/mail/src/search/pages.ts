import type {
  MailMessage,
  MailPage,
  MailSearch,
  MailSummary,
  PageRequest,
  SearchPage,
} from "../model/mail.ts";
import type { MailCall } from "../model/mail-context.ts";
import { MailError, optionInvalid } from "../model/mail-error.ts";
import type { Candidate, MailLayout } from "../model/mail-layout.ts";
import { matchMessage } from "./match-message.ts";
import { matchQuery } from "./query/match-query.ts";
import { queryCandidates } from "./query/query-candidates.ts";
import type { ParsedQuery } from "./query/query-term.ts";

/** A search by kind, or a query that was parsed. */
export type ResolvedSearch = MailSearch | ParsedQuery;

/** Bytes of messages that are loaded together for a search. */
const bytesAtOnce = 8 * 1024 * 1024;

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
  for await (const batch of candidates)
    for (const group of bySize(batch)) yield* await judge(layout, search, group, call);
}

/** Returns the candidates that match. Messages that must be read for that are loaded together. */
async function judge(
  layout: MailLayout,
  search: ResolvedSearch,
  group: readonly Candidate[],
  call: MailCall,
): Promise<MailSummary[]> {
  const unread = group.filter(({ matches }) => matches === undefined).map(({ summary }) => summary);
  const messages = (unread.length === 0 ? [] : await layout.load(unread, call)).values();
  const found: MailSummary[] = [];
  for (const { summary, matches } of group) {
    const message = matches === undefined ? messages.next().value : undefined;
    if (matches ?? (message !== undefined && (await matchResolved(search, message)))) found.push(summary);
  }
  return found;
}

/** Whether a search finds a message whose bytes were read. */
export async function matchResolved(search: ResolvedSearch, message: MailMessage): Promise<boolean> {
  return search.kind === "query" ? matchQuery(search, message) : matchMessage(search, message);
}

function* bySize(batch: readonly Candidate[]): Generator<Candidate[]> {
  let group: Candidate[] = [];
  let bytes = 0;
  for (const candidate of batch) {
    const size = candidate.matches === undefined ? candidate.summary.size : 0;
    if (bytes > 0 && bytes + size > bytesAtOnce) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(candidate);
    bytes += size;
  }
  yield group;
}

/** Returns a page of a search, with the number of all matches if requested. */
export async function searchPage(
  layout: MailLayout,
  search: ResolvedSearch,
  request: ResolvedPage & { readonly total: boolean },
  call: MailCall,
): Promise<SearchPage> {
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
