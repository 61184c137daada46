import type { MailCall } from "../../model/mail-context.ts";
import type { Candidate, MailLayout } from "../../model/mail-layout.ts";
import type { MailSearch } from "../../model/mail-search.ts";
import type { MailSummary } from "../../model/message.ts";
import { matchSummary } from "./match-query.ts";
import type { ParsedQuery, QueryTest } from "./query-term.ts";

/** Summaries that are judged together. */
const atOnce = 100;

/** Returns at least all messages that match a query, newest first, in batches. */
export async function* queryCandidates(
  layout: MailLayout,
  query: ParsedQuery,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<readonly Candidate[], void, undefined> {
  const earliest = earliestOf(query);
  for await (const batch of summaries(layout, indexedPart(query), before, call)) {
    yield batch.flatMap((summary) => {
      const matches = matchSummary(query, summary);
      return matches === false ? [] : { summary, matches };
    });
    // Newest first: all further messages are older.
    if (batch.length > 0 && batch.every(({ created }) => created < earliest)) return;
  }
}

async function* summaries(
  layout: MailLayout,
  search: MailSearch | undefined,
  before: string | undefined,
  call: MailCall,
): AsyncGenerator<readonly MailSummary[], void, undefined> {
  if (search !== undefined) {
    for await (const batch of layout.candidates(search, before, call))
      yield batch.map(({ summary }) => summary);
    return;
  }
  let batch: MailSummary[] = [];
  for await (const summary of layout.newest({ before, skip: 0, want: atOnce }, call)) {
    batch.push(summary);
    if (batch.length < atOnce) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Fields whose values are part of what a search for text matches against. */
const indexed: ReadonlySet<QueryTest["field"]> = new Set(["text", "from", "to", "cc", "subject"]);

/**
 * Returns a search for text that finds every message that matches the query: the longest word that must occur. Undefined if all words
 * are too short for the index.
 */
export function indexedPart({ terms }: ParsedQuery): MailSearch | undefined {
  const words = terms.flatMap(({ not, test }) =>
    not || !indexed.has(test.field) || !("value" in test) ? [] : test.value.split(" "),
  );
  const [longest = ""] = words.toSorted((one, other) => other.length - one.length);
  return longest.length < 3 ? undefined : { kind: "text", query: longest };
}

function earliestOf({ terms }: ParsedQuery): number {
  const times = terms.flatMap(({ not, test }) => (test.field === "after" && !not ? test.ms : []));
  return Math.max(Number.NEGATIVE_INFINITY, ...times);
}
