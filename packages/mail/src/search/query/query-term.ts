import type { MailSearch } from "../../model/mail-search.ts";

/** Fields of a message that a term matches by a part of their value. */
export const textFields = [
  "text",
  "from",
  "to",
  "cc",
  "bcc",
  "reply-to",
  "addressed",
  "subject",
  "message-id",
] as const;

export type TextField = (typeof textFields)[number];

/** What one term of a query requires of a message. */
export type QueryTest =
  /** `value` is folded, and its runs of whitespace are single spaces. */
  | { readonly field: TextField; readonly value: string }
  /** `value` is folded. */
  | { readonly field: "tag"; readonly value: string }
  | { readonly field: "is"; readonly value: "read" | "unread" | "tagged" }
  | { readonly field: "has"; readonly value: "attachment" | "inline" }
  | { readonly field: "before" | "after"; readonly ms: number }
  | { readonly field: "larger" | "smaller"; readonly bytes: number };

/** One term of a query. A message must satisfy all terms. */
export interface QueryTerm {
  /** Whether the message must not satisfy the test. */
  readonly not: boolean;
  readonly test: QueryTest;
}

/** A query that was parsed. */
export interface ParsedQuery {
  readonly kind: "query";
  readonly terms: readonly QueryTerm[];
}

/** A search by kind, or a query that was parsed. */
export type ResolvedSearch = MailSearch | ParsedQuery;
