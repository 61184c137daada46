/** Names of the characters 160 to 255. */
const latin1Names =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml";

/** The named entities of European languages and of typography. Invisible characters are omitted, as readers see them. */
const entities: ReadonlyMap<string, string> = new Map([
  ...latin1Names.split(" ").map((name, at) => [name, String.fromCharCode(160 + at)] as const),
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
  /^\/?(?:title|p|div|br|tr|td|th|li|ul|ol|table|h[1-6]|hr|section|article|header|footer|blockquote)\b/i;

/** Extracts the text of HTML for search and preview: without tags, styles and scripts, with entities decoded. */
export function htmlText(html: string): string {
  let text = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    text += html.slice(at, open < 0 ? undefined : open);
    if (open < 0) break;
    const next = endOfTag(html, open);
    if (blocks.test(html.slice(open + 1, open + 20))) text += "\n";
    at = next;
  }
  return text.replaceAll(
    /&(#x[0-9a-f]{1,6}|#[0-9]{1,7}|[a-z][a-z0-9]{1,7});/gi,
    (all, name: string) => entity(name) ?? all,
  );
}

function endOfTag(html: string, open: number): number {
  const after = (text: string, from: number) => {
    const found = html.indexOf(text, from);
    return found < 0 ? html.length : found + text.length;
  };
  if (html.startsWith("<!--", open)) return after("-->", open + 4);
  const hidden = /^<(style|script)\b/i.exec(html.slice(open, open + 8))?.[1];
  if (hidden === undefined) return after(">", open);
  const closing = new RegExp(`</${hidden}`, "gi");
  closing.lastIndex = open;
  const end = closing.exec(html);
  return end === null ? html.length : after(">", end.index);
}

function entity(name: string): string | undefined {
  if (!name.startsWith("#")) return entities.get(name) ?? entities.get(name.toLowerCase());
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
