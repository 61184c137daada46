import type { MailSummary } from "../../model/message.ts";

/** The marks of a message that IMAP shows. */
export type FlaggedEntry = Pick<MailSummary, "read" | "tags">;

/** The flags of every mailbox, whether a message has them or not. */
const systemFlags = ["\\Answered", "\\Flagged", "\\Deleted", "\\Seen", "\\Draft"];

/** Keywords in the FLAGS response of a mailbox. Messages may have more. */
const maxListed = 100;

/** The flags of a message in parentheses: `\Seen` if it was read, and its tags as keywords. */
export function flagList({ read, tags }: FlaggedEntry): string {
  return `(${[...(read ? ["\\Seen"] : []), ...new Set(tags.map(keywordOf))].join(" ")})`;
}

/** The flags of a mailbox in parentheses. */
export function mailboxFlagList(entries: Iterable<FlaggedEntry>): string {
  const keywords = new Set<string>();
  for (const { tags } of entries) {
    for (const tag of tags) if (keywords.size < maxListed) keywords.add(keywordOf(tag));
    if (keywords.size >= maxListed) break;
  }
  return `(${[...systemFlags, ...keywords].join(" ")})`;
}

/** Whether a message has a keyword, ignoring case. */
export function hasKeyword({ tags }: FlaggedEntry, keyword: string): boolean {
  const wanted = keyword.toLowerCase();
  return tags.some((tag) => keywordOf(tag).toLowerCase() === wanted);
}

/** A tag as a keyword: characters that an atom cannot have are underscores. */
function keywordOf(tag: string): string {
  return tag.replaceAll(/[^\x21-\x7e]|[(){%*"\\\]]/gu, "_");
}
