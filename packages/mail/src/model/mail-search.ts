import type { CallOptions } from "@tablekeep/core";
import type { MailSummary } from "./message.ts";

/**
 * A search. Case is ignored.
 *
 * - `from`, `to`, `containing`: MailHog's kinds, with the results of its memory storage. `from` and `to` find a part of an
 *   address of the envelope or of the header; `containing` finds a part of a header's value or of the undecoded body.
 * - `text`: a part of the decoded subject, addresses, text and HTML of the first MiB.
 * - `sender`, `recipient`: the whole address of the envelope or of the header. On DynamoDB this reads only what matches.
 */
export interface MailSearch {
  readonly kind: "from" | "to" | "containing" | "text" | "sender" | "recipient";
  readonly query: string;
}

/**
 * A search in Mailpit's grammar, such as `from:shop subject:"your order" has:attachment -is:read`: see `docs/reference/mail-queries.md`.
 * A query that cannot be parsed is `MAIL_QUERY_INVALID`, which has the position.
 */
export interface MailQuery {
  readonly kind?: "query";
  readonly query: string;
}

/** Which part of a list to return. Newest first. */
export interface PageRequest extends CallOptions {
  /** How many to skip. Not together with `cursor`. @default 0 */
  readonly start?: number;
  /** Maximum number of messages. @default 50 */
  readonly limit?: number;
  /** Where an earlier page ended: its `next`. @default the newest */
  readonly cursor?: string;
}

/** A part of a list. */
export interface MailPage {
  readonly items: readonly MailSummary[];
  /** Where the next page begins; undefined if there is none. */
  readonly next?: string;
}

/** Options of a search. */
export interface SearchRequest extends PageRequest {
  /** Count all matches, which reads to the end. @default false */
  readonly total?: boolean;
}

/** What a search found. */
export interface SearchPage extends MailPage {
  /** The number of all matches, if `total` was set. */
  readonly total?: number;
}
