import type { MailMessage, MailSearch } from "../model/mail.ts";
import { matchMessage } from "./match-message.ts";
import { matchQuery } from "./query/match-query.ts";
import type { ParsedQuery } from "./query/query-term.ts";

/** A search by kind, or a query that was parsed. */
export type ResolvedSearch = MailSearch | ParsedQuery;

/** Whether a search finds a message whose bytes were read. */
export async function matchResolved(search: ResolvedSearch, message: MailMessage): Promise<boolean> {
  return search.kind === "query" ? matchQuery(search, message) : matchMessage(search, message);
}
