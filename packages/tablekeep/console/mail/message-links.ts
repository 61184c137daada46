/** Addresses of pages and mailboxes that a message links to, as they are; each once, in their order. */
export function messageLinks({ html, text }: { readonly html: string; readonly text: string }): string[] {
  const named = [
    ...[...html.matchAll(/(?<![\w-])href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/gi)].map(
      ([, double, single, bare]) => unescaped(double ?? single ?? bare ?? ""),
    ),
    ...(text.match(/(?:https?:\/\/|\bmailto:)[^\s<>"'\])]+/gi) ?? []).map((each) =>
      each.replace(/[.,;:!?]+$/, ""),
    ),
  ];
  return [...new Set(named.flatMap((each) => openedAddress(each) ?? []))].slice(0, maxLinks);
}

const maxLinks = 500;

const opened: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

/** Only what the preview of a message opens as well: no script, no data. */
function openedAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  return opened.has(protocol) ? href : undefined;
}

const names: Readonly<Record<string, string>> = { amp: "&", quot: '"', apos: "'", lt: "<", gt: ">" };

function unescaped(text: string): string {
  return text
    .replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|quot|apos|lt|gt));/gi, (whole, decimal, hex, name) => {
      if (name !== undefined) return names[String(name).toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    })
    .trim();
}

/**
 * Whether a message would load something from the web if it were allowed to. It only decides whether the switch is shown:
 * nothing is loaded without it, regardless of the result.
 */
export function hasRemoteContent(html: string): boolean {
  return /\b(?:src|srcset|background|poster)\s*=\s*["']?\s*(?:https?:)?\/\/|url\(\s*["']?\s*(?:https?:)?\/\//i.test(
    html,
  );
}
