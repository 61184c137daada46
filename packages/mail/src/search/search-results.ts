import type { SearchMemory } from "../model/search-memory.ts";
import type { ResolvedSearch } from "./query/query-term.ts";

/** Results of one search for messages that were read. Messages do not change: a result is valid as long as its message exists. */
export interface KnownResults {
  /** Whether the message matches; undefined if it was not read. */
  get(id: string): boolean | undefined;
  add(id: string, matches: boolean): void;
}

/** The results of the last searches, in memory. */
export interface SearchResults {
  of(search: ResolvedSearch): KnownResults;
}

/** Searches with results in memory. */
const maxSearches = 100;

/** Approximate bytes of a result. */
const resultBytes = 40;

/** Keeps at most `maxResults`. Drops the results of the search that was used least recently, and all if other stores need the memory. */
export function searchResults(maxResults: number, memory: Pick<SearchMemory, "add">): SearchResults {
  const searches = new Map<string, Map<string, boolean>>();
  let total = 0;
  const share = memory.add(() => {
    searches.clear();
    total = 0;
  });
  const makeSpace = () => {
    for (const [oldest, results] of searches) {
      if (total <= maxResults && searches.size <= maxSearches) return;
      total -= results.size;
      searches.delete(oldest);
    }
  };
  return {
    of(search) {
      const key = JSON.stringify(search);
      const known = searches.get(key) ?? new Map<string, boolean>();
      // The last one used is the last one dropped.
      searches.delete(key);
      searches.set(key, known);
      makeSpace();
      share.use(total * resultBytes);
      return {
        get: (id) => known.get(id),
        add(id, matches) {
          if (searches.get(key) !== known) return;
          if (!known.has(id)) total++;
          known.set(id, matches);
          if (total > maxResults) makeSpace();
          share.use(total * resultBytes);
        },
      };
    },
  };
}
