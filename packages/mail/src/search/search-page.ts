import type { MailSearch, MailSummary, SearchPage } from "../mail.ts";
import type { MailCall } from "../mail-context.ts";
import type { Candidate, MailLayout } from "../mail-layout.ts";
import { encodeCursor, type ResolvedPage } from "../page-cursor.ts";
import { matchMessage } from "./match-message.ts";

/** Bytes of messages that are read at once to be looked through. */
const bytesAtOnce = 8 * 1024 * 1024;

/** All messages that match, newest first. */
export async function* allMatches(
  layout: MailLayout,
  search: MailSearch,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<MailSummary, void, undefined> {
  for await (const batch of layout.candidates(search, before, call))
    for (const group of bySize(batch)) yield* await judge(layout, search, group, call);
}

/** Judges a few candidates: those that need it are read together. */
async function judge(
  layout: MailLayout,
  search: MailSearch,
  group: readonly Candidate[],
  call: MailCall,
): Promise<MailSummary[]> {
  const unread = group.filter(({ matches }) => matches === undefined).map(({ summary }) => summary);
  const messages = (unread.length === 0 ? [] : await layout.load(unread, call)).values();
  const found: MailSummary[] = [];
  for (const { summary, matches } of group) {
    const message = matches === undefined ? messages.next().value : undefined;
    if (matches ?? (message !== undefined && (await matchMessage(search, message)))) found.push(summary);
  }
  return found;
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

/** A page of what a search finds, with the number of all matches if that is wanted. */
export async function searchPage(
  layout: MailLayout,
  search: MailSearch,
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
