import { nextTurn } from "../model/background-work.ts";
import type { MailCall } from "../model/mail-context.ts";
import type { IndexedIds, MailLayout, SearchIndex } from "../model/mail-layout.ts";
import type { MailSearch } from "../model/mail-search.ts";
import type { MailSummary } from "../model/message.ts";
import { judgeCandidates } from "./judge-candidates.ts";
import { matchSummary } from "./query/match-query.ts";
import { indexedPart } from "./query/query-candidates.ts";
import type { ResolvedSearch } from "./query/query-term.ts";
import type { KnownResults, SearchResults } from "./search-results.ts";

/** Messages that are read together. */
const readAtOnce = 100;

/** Ids that are compared in one turn of the event loop. */
const idsAtOnce = 10_000;

const none: ReadonlySet<string> = new Set();

/** A search whose results are remembered, and the part of it that the index finds. */
export interface RememberedSearch {
  readonly search: ResolvedSearch;
  readonly indexed: MailSearch;
}

/** Returns a search whose results are remembered; undefined if they may change, or if the index does not help. */
export function rememberedSearch(search: ResolvedSearch): RememberedSearch | undefined {
  if (search.kind === "query") {
    // Marks change.
    if (search.terms.some(({ test }) => test.field === "is" || test.field === "tag")) return undefined;
    const indexed = indexedPart(search);
    return indexed && { search, indexed };
  }
  const { kind, query } = search;
  const isSigned = kind === "containing" || kind === "text" || kind === "from" || kind === "to";
  return isSigned && query.length >= 3 ? { search, indexed: search } : undefined;
}

/** The ids of all messages that match, newest first, in batches. Reads only messages whose result is not known. */
export async function* matchingIds(
  layout: MailLayout & { readonly index: SearchIndex },
  { search, indexed }: RememberedSearch,
  results: SearchResults,
  call: MailCall,
): AsyncGenerator<readonly string[], void, undefined> {
  const known = results.of(search);
  for await (const each of layout.index.ids(indexed, call)) {
    // The index finds a part of a query: the other parts may not match.
    const found = search.kind === "query" ? { ...each, certain: none } : each;
    for (let at = 0; at < found.ids.length; ) {
      const window = windowFrom(found, at, known);
      at = window.end;
      const read =
        window.unread.length > 0 ? await readResults(layout, window.unread, found.certain) : undefined;
      yield read === undefined ? window.ids : window.ids.filter((id) => read.get(id) ?? true);
      await nextTurn();
    }
  }

  /** Whether these messages match. One that does not exist does not. */
  async function readResults(
    { index }: { readonly index: SearchIndex },
    ids: readonly string[],
    certain: ReadonlySet<string>,
  ): Promise<Map<string, boolean>> {
    const matching = new Map(ids.map((id) => [id, false]));
    const candidates = (await index.candidates(indexed, ids, call)).map(({ summary, matches }) => ({
      summary,
      matches: resultOf(summary, matches, certain),
    }));
    for await (const { summary, matches } of judgeCandidates(layout, search, candidates, call)) {
      if (matches === undefined) continue;
      known.add(summary.id, matches);
      matching.set(summary.id, matches);
    }
    return matching;
  }

  function resultOf(summary: MailSummary, matches: boolean | undefined, certain: ReadonlySet<string>) {
    if (certain.has(summary.id)) return true;
    return known.get(summary.id) ?? (search.kind === "query" ? matchSummary(search, summary) : matches);
  }
}

interface Window {
  /** Ids without those that do not match for certain. */
  readonly ids: readonly string[];
  /** Those of them that have to be read. */
  readonly unread: readonly string[];
  readonly end: number;
}

/** The next ids, up to a limit of ids, and of messages to read. */
function windowFrom({ ids, exist, certain }: IndexedIds, start: number, known: KnownResults): Window {
  const [kept, unread]: [string[], string[]] = [[], []];
  let end = start;
  for (; end < ids.length && end < start + idsAtOnce && unread.length < readAtOnce; end++) {
    const id = ids[end] as string;
    const result = certain.has(id) || known.get(id);
    if (result === false) continue;
    kept.push(id);
    if (result === undefined || !exist) unread.push(id);
  }
  return { ids: kept, unread, end };
}
