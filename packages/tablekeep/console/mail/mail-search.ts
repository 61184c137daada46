import type { Route } from "../shell/route.ts";

/** The searched fields. */
export const searchKinds = {
  query: "Query",
  text: "Anywhere",
  from: "From",
  to: "To",
  containing: "Source",
} as const;

export type SearchKind = keyof typeof searchKinds;

/** A search; `query` "" matches everything. */
export interface MailSearch {
  readonly kind: SearchKind;
  readonly query: string;
}

/** Reads the search from the query of a place. */
export function searchOf({ query }: Pick<Route, "query">): MailSearch {
  const requested = query.get("kind") ?? "";
  return {
    kind: Object.hasOwn(searchKinds, requested) ? (requested as SearchKind) : "query",
    query: query.get("q") ?? "",
  };
}

/** The search as the query of a place. */
export function placeQuery({ kind, query }: MailSearch): Record<string, string> {
  return { kind: kind === "query" ? "" : kind, q: query };
}

/** The search as the query of a request. */
export function requestQuery({ kind, query }: MailSearch): Record<string, string> {
  return query === "" ? {} : { kind, query };
}
