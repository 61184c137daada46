/** The readable content of a message. */
export interface MessageContent {
  readonly text: string;
  readonly html: string;
}

/** Returns the links of a message: those of its text, then those of its HTML. */
export function linksIn({ text, html }: MessageContent): readonly string[] {
  const inText = [...text.matchAll(/https?:\/\/[^\s<>"']+/g)].map(([link]) => link);
  const inHtml = [...html.matchAll(/\bhref="(https?:[^"]+)"/g)].map(([, link = ""]) =>
    link.replaceAll("&amp;", "&"),
  );
  return [...inText, ...inHtml];
}

/** Returns the words of a message outside of links: of its text or, without one, of its HTML. */
export function wordsIn({ text, html }: MessageContent): string {
  return (text || html.replaceAll(/<[^>]*>/g, " ")).replaceAll(/https?:\/\/\S+/g, " ");
}
