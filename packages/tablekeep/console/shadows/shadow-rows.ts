import { type CursorRows, cursorRows } from "../list/cursor-rows.ts";
import { compareNames, sortedPages } from "../list/sorted-pages.ts";
import { fetchShadows, type ShadowName, type ShadowRow, searchShadows } from "./shadow-api.ts";

/** The shadows to list. */
export interface ShadowFilter {
  /** The prefix of the things' names. */
  readonly prefix: string;
  /** In the query language of shadows; "" for all. */
  readonly query: string;
  readonly sync: "" | "in" | "behind";
}

export const keyOf = ({ thing, name }: ShadowName): string => JSON.stringify([thing, name]);

const syncQueries = { in: "not delta exists", behind: "delta exists", "": "" };

/** The query that a filter needs; "" if listing is enough. */
export function queryOf({ query, sync }: ShadowFilter): string {
  const typed = query.trim();
  const parts = [typed === "" || sync === "" ? typed : `(${typed})`, syncQueries[sync]];
  return parts.filter((part) => part !== "").join(" and ");
}

/** The shadows of a store, sorted by thing and name. A shadow whose halves are stored apart has two rows: one is shown. */
export function shadowRows(store: string, filter: ShadowFilter): CursorRows<ShadowRow> {
  const { prefix } = filter;
  const query = queryOf(filter);
  const seen = new Set<string>();
  return cursorRows<ShadowRow>({
    keyOf,
    fetchPage: sortedPages(
      async (next, signal) => {
        if (next === undefined) seen.clear();
        const page =
          query === ""
            ? await fetchShadows(store, { prefix, next, signal })
            : await searchShadows(store, { query, next, signal });
        const fresh = page.rows.filter(
          (row) => row.thing.startsWith(prefix) && !seen.has(keyOf(row)) && seen.add(keyOf(row)),
        );
        return { rows: fresh, next: page.next };
      },
      (one, other) => compareNames(one.thing, other.thing) || compareNames(one.name, other.name),
    ),
  });
}
