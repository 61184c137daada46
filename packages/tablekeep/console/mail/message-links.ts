/** Addresses of the web that a message names, as they are; each once, in their order. */
export function messageLinks({ html, text }: { readonly html: string; readonly text: string }): string[] {
  const named = [
    ...[...html.matchAll(/\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/gi)].map(
      ([, double, single, bare]) => unescaped(double ?? single ?? bare ?? ""),
    ),
    ...(text.match(/https?:\/\/[^\s<>"'\])]+/gi) ?? []).map((each) => each.replace(/[.,;:!?]+$/, "")),
  ];
  return [...new Set(named.flatMap((each) => webAddress(each) ?? []))].slice(0, maxLinks);
}

const maxLinks = 500;

/** Only what a browser opens as a page: no script, no data, no mail. */
function webAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return protocol === "http:" || protocol === "https:" ? href : undefined;
}

function unescaped(text: string): string {
  return text.trim().replace(/&amp;/gi, "&").replace(/&#38;/g, "&");
}

/**
 * Whether a message would load something of the web if it were allowed to. It only decides whether the switch is shown:
 * nothing is loaded without it, regardless of the result.
 */
export function hasRemoteContent(html: string): boolean {
  return /\b(?:src|srcset|background|poster)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i.test(
    html,
  );
}
