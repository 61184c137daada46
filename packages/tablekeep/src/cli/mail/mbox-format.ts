import type { FileMarks } from "./file-message.ts";

/**
 * How lines that begin with `From ` are quoted in an mbox file: `mboxrd` adds a `>` to those with any number of `>` before it,
 * `mboxo` only to those without one.
 */
export type MboxVariant = "mboxrd" | "mboxo";

/** Quotes a line, and removes the quotes, by variant. */
export const mboxQuoting: Readonly<
  Record<MboxVariant, { readonly quote: RegExp; readonly unquote: RegExp }>
> = {
  mboxrd: { quote: /^(>*From )/, unquote: /^>(>*From )/ },
  mboxo: { quote: /^(From )/, unquote: /^>(From )/ },
};

/** Stands for an empty sender in mbox files. */
export const noSender = "MAILER-DAEMON";

/** Marks of a message in an mbox file. */
type MboxMarks = Required<FileMarks>;

/**
 * The lines with the marks of a message before its own header: `Status`, with an `R` if it was read, and `X-Keywords`, as Dovecot and others write them.
 * Both are always written, so that a reader never mistakes a field of the message for one of them.
 */
export function marksLines({ read, tags }: MboxMarks): string[] {
  return [`Status: ${read ? "RO" : "O"}`, ["X-Keywords:", ...tags.map(keywordOf)].join(" ")];
}

/** The marks in the first lines of a message, if {@link marksLines} wrote them. */
export function readMarksLines([status = "", keywords = ""]: readonly string[]): MboxMarks | undefined {
  const [, read] = /^Status: (R?)O$/.exec(status) ?? [];
  const [, tags] = /^X-Keywords:((?: \S+)*)$/.exec(keywords) ?? [];
  if (read === undefined || tags === undefined) return undefined;
  return { read: read === "R", tags: tags.split(" ").slice(1).map(tagOf).filter(isTag) };
}

/** A tag as a keyword of IMAP: other characters are percent-encoded. */
function keywordOf(tag: string): string {
  const encode = (character: string) => Buffer.from(character).toString("hex").replaceAll(/../g, "%$&");
  return tag.replaceAll(/[^\x21-\x7e]|[%(){*"\\\]]/gu, encode);
}

/** Keywords that other programs write may not be tags. */
function isTag(text: string): boolean {
  return /^[^,\p{Cc}]{1,100}$/u.test(text);
}

function tagOf(keyword: string): string {
  try {
    return decodeURIComponent(keyword);
  } catch {
    return keyword;
  }
}
