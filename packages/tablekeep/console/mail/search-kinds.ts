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

/** A search in an inbox; `query` "" matches everything. */
export interface MailSearch {
  /** The name of the inbox; "" is the default one. */
  readonly inbox: string;
  readonly kind: SearchKind;
  readonly query: string;
}

/** Reads the search from the query of a place. */
export function searchOf({ query }: Pick<Route, "query">): MailSearch {
  const requested = query.get("kind") ?? "";
  return {
    inbox: query.get("inbox") ?? "",
    kind: Object.hasOwn(searchKinds, requested) ? (requested as SearchKind) : "query",
    query: query.get("q") ?? "",
  };
}

/** The search as the query of a place. */
export function placeQuery({ inbox, kind, query }: MailSearch): Record<string, string> {
  return { inbox, kind: kind === "query" ? "" : kind, q: query };
}

/** The search as the query of a request. */
export function requestQuery({ kind, query }: MailSearch): Record<string, string> {
  return query === "" ? {} : { kind, query };
}
