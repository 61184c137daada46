import { htmlLinks, htmlText, textLinks } from "@tablekeep/mail/mime";

/** The readable content of a message. */
export interface ReadableContent {
  readonly text: string;
  readonly html: string;
}

/** Returns the web addresses that a message links to: those of its text, then those of its HTML, each once. */
export function linksIn({ text, html }: ReadableContent): readonly string[] {
  return [...new Set([...textLinks(text), ...htmlLinks(html).filter((link) => /^https?:/i.test(link))])];
}

/** Returns the words of a message outside of links: those of its text, then those of its HTML. */
export function wordsIn({ text, html }: ReadableContent): string {
  return `${text}\n${htmlText(html)}`.replaceAll(/https?:\/\/\S+/gi, " ");
}
