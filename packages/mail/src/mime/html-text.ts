import { windows1252 } from "./decode-bytes.ts";

/** Names of the characters 160 to 255. */
const latin1Names =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml";

/** Names of the characters from U+03B1 on, and with a capital from U+0391 on. */
const greekNames =
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega";

function greekLetters(): (readonly [string, string])[] {
  const names = greekNames.split(" ");
  const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
  return [
    ...names.map((name, at) => [name, String.fromCharCode(0x3b1 + at)] as const),
    ...names.map((name, at) => [capital(name), String.fromCharCode(0x391 + at)] as const),
  ];
}

/** The named entities of European languages and of typography. Invisible characters are omitted, as readers see them. */
const entities: ReadonlyMap<string, string> = new Map([
  ...latin1Names.split(" ").map((name, at) => [name, String.fromCharCode(160 + at)] as const),
  ...greekLetters(),
  ...Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    nbsp: " ",
    shy: "",
    zwnj: "",
    zwj: "",
  }),
  ...Object.entries({
    euro: "€",
    trade: "™",
    bull: "•",
    hellip: "…",
    ndash: "–",
    mdash: "—",
    ensp: " ",
    emsp: " ",
  }),
  ...Object.entries({
    lsquo: "‘",
    rsquo: "’",
    sbquo: "‚",
    ldquo: "“",
    rdquo: "”",
    bdquo: "„",
    lsaquo: "‹",
    rsaquo: "›",
  }),
  ...Object.entries({ OElig: "Œ", oelig: "œ", Scaron: "Š", scaron: "š", Yuml: "Ÿ", thinsp: " " }),
]);

/** Elements that end a word or line. */
const blocks =
  /^\/?(?:title|p|div|br|tr|td|th|caption|li|ul|ol|dl|dt|dd|table|h[1-6]|hr|pre|center|address|section|article|aside|main|nav|header|footer|figure|figcaption|blockquote|form|fieldset|legend|option|details|summary)\b/i;

/** What follows the `<` of a tag or a comment. Any other `<` is text. */
const tagStart = /^<[a-z/!?]/i;

/**
 * Extracts the text of HTML for search and preview: without tags, styles and scripts, with entities decoded.
 *
 * @example
 * htmlText("<p>Tom &amp; <b>Ann</b></p>").trim(); // "Tom & Ann"
 */
export function htmlText(html: string): string {
  let text = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    text += html.slice(at, open < 0 ? undefined : open);
    if (open < 0) break;
    if (!tagStart.test(html.slice(open, open + 2))) {
      text += "<";
      at = open + 1;
      continue;
    }
    if (blocks.test(html.slice(open + 1, open + 20))) text += "\n";
    at = endOfMarkup(html, open);
  }
  return decodeEntities(text);
}

/**
 * Returns the addresses that the links of HTML lead to, in their order. Those in comments, styles and scripts do not count.
 *
 * @example
 * htmlLinks('<a href="https://example.org/confirm">Confirm</a>'); // ["https://example.org/confirm"]
 */
export function htmlLinks(html: string): string[] {
  const links: string[] = [];
  for (let open = html.indexOf("<"); open >= 0; ) {
    const end = tagStart.test(html.slice(open, open + 2)) ? endOfMarkup(html, open) : open + 1;
    const href = /^<a[\s/]/i.test(html.slice(open, open + 3)) ? hrefOf(html.slice(open + 2, end)) : undefined;
    if (href !== undefined) links.push(decodeEntities(href).trim());
    open = html.indexOf("<", end);
  }
  return links;
}

/** The first `href` among the attributes of a tag. */
function hrefOf(attributes: string): string | undefined {
  const all = attributes.matchAll(/([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g);
  for (const [, name = "", double, single, bare] of all)
    if (name.toLowerCase() === "href") return double ?? single ?? bare;
  return undefined;
}

/**
 * Returns the web addresses in plain text, in their order, without the punctuation of the sentence around them.
 *
 * @example
 * textLinks("Confirm at https://example.org/confirm."); // ["https://example.org/confirm"]
 */
export function textLinks(text: string): string[] {
  return [...text.matchAll(/\bhttps?:\/\/[^\s<>"']+/gi)].map(([link]) => withoutPunctuation(link));
}

/** A closing bracket belongs to a link only if the link opens it. */
function withoutPunctuation(link: string): string {
  const unopened: Record<string, number> = {
    ")": link.split(")").length - link.split("(").length,
    "]": link.split("]").length - link.split("[").length,
  };
  let end = link.length;
  for (; end > 0; end--) {
    const last = link.charAt(end - 1);
    const left = unopened[last];
    if (left === undefined ? !".,;:!?".includes(last) : left <= 0) break;
    if (left !== undefined) unopened[last] = left - 1;
  }
  return link.slice(0, end);
}

function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,7});/gi,
    (all, name: string) => entity(name) ?? all,
  );
}

/** The position after a tag, a comment, or a style or script with its content. */
function endOfMarkup(html: string, open: number): number {
  if (html.startsWith("<!--", open)) {
    const end = html.indexOf("-->", open + 4);
    return end < 0 ? html.length : end + 3;
  }
  const hidden = /^<(style|script)\b/i.exec(html.slice(open, open + 8))?.[1];
  if (hidden === undefined) return endOfTag(html, open);
  const closing = new RegExp(`</${hidden}`, "gi");
  closing.lastIndex = open;
  const end = closing.exec(html);
  return end === null ? html.length : endOfTag(html, end.index);
}

/** The position after the `>` of a tag. One in a quoted value of an attribute does not end it, unless the quote has no end. */
function endOfTag(html: string, open: number): number {
  let at = open + 1;
  let end = html.indexOf(">", at);
  while (end >= 0) {
    const quoted = /=\s*["']/.exec(html.slice(at, end));
    if (quoted === null) return end + 1;
    const start = at + quoted.index + quoted[0].length;
    const close = html.indexOf(html.charAt(start - 1), start);
    if (close < 0) return end + 1;
    at = close + 1;
    if (at > end) end = html.indexOf(">", at);
  }
  return html.length;
}

function entity(name: string): string | undefined {
  if (!name.startsWith("#")) return entities.get(name) ?? entities.get(name.toLowerCase());
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  // As browsers read them.
  if (code >= 0x80 && code <= 0x9f) return windows1252.charAt(code - 0x80);
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
