import type { MailCall } from "../model/mail-context.ts";
import type { Candidate, MailLayout } from "../model/mail-layout.ts";
import type { MailMessage, MailSummary } from "../model/message.ts";
import { matchMessage } from "./match-message.ts";
import { matchQuery } from "./query/match-query.ts";
import type { ResolvedSearch } from "./query/query-term.ts";

/** Bytes of messages that are loaded together for a search. */
const bytesAtOnce = 8 * 1024 * 1024;

/** A candidate, and whether it matches; undefined if it was deleted meanwhile, or is corrupt. */
export interface Judged {
  readonly summary: MailSummary;
  readonly matches: boolean | undefined;
}

/** Whether a search finds a message whose bytes were read. */
export async function matchResolved(search: ResolvedSearch, message: MailMessage): Promise<boolean> {
  return search.kind === "query" ? matchQuery(search, message) : matchMessage(search, message);
}

/** Decides which candidates match. Messages that must be read for that are loaded together, up to a limit of bytes. */
export async function* judgeCandidates(
  layout: MailLayout,
  search: ResolvedSearch,
  batch: readonly Candidate[],
  call: MailCall,
): AsyncGenerator<Judged, void, undefined> {
  for (const group of bySize(batch)) yield* await judgeGroup(layout, search, group, call);
}

async function judgeGroup(
  layout: MailLayout,
  search: ResolvedSearch,
  group: readonly Candidate[],
  call: MailCall,
): Promise<Judged[]> {
  const unread = group.filter(({ matches }) => matches === undefined).map(({ summary }) => summary);
  const messages = (unread.length === 0 ? [] : await layout.load(unread, call)).values();
  const judged: Judged[] = [];
  for (const candidate of group) {
    if (candidate.matches !== undefined) {
      judged.push(candidate);
      continue;
    }
    const message = messages.next().value;
    const matches = message === undefined ? undefined : await matchResolved(search, message);
    judged.push({ summary: candidate.summary, matches });
  }
  return judged;
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
