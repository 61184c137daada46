import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import { escapeHtml } from "../../http/responses.ts";
import { cleanCss, type ImageUrl, type PreferredColors } from "./clean-css.ts";

/**
 * The markup of a message that is shown: formatting of text, tables and images. Everything else is removed: scripts,
 * frames, plugins, forms, media, `link`, `meta`, `base`, SVG, MathML, event handlers, and attributes that load or send
 * something.
 */
const allowedTags: ReadonlySet<string> = new Set(
  (
    "html body a abbr acronym address area article aside b bdi bdo big blockquote br caption center cite code col " +
    "colgroup dd del details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins " +
    "kbd li main map mark menu nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup " +
    "table tbody td tfoot th thead time tr tt u ul var wbr"
  ).split(" "),
);

/** Elements without an end tag. */
const voidTags: ReadonlySet<string> = new Set(["area", "br", "col", "hr", "img", "wbr"]);

/**
 * Elements whose content is not text for readers, and in which a parser recognizes no markup. `style` is handled
 * separately.
 */
const hiddenTags: ReadonlySet<string> = new Set(
  "script iframe noembed noframes title textarea xmp".split(" "),
);

/** Attributes that are kept as they are, on every element. */
const plainAttributes: ReadonlySet<string> = new Set(
  (
    "abbr align alt axis bgcolor border cellpadding cellspacing char charoff class clear color cols colspan compact " +
    "coords datetime dir face frame headers height hspace id lang name noshade nowrap open reversed role rows rowspan " +
    "rules scope shape size span start summary title type usemap valign value vspace width"
  ).split(" "),
);

/** Attributes that name an image, by element; `background` is one on every element that has it. */
const imageAttributes: Readonly<Record<string, ReadonlySet<string>>> = {
  src: new Set(["img"]),
  background: new Set(["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"]),
};

/** Elements whose `href` is a link. */
const linkTags: ReadonlySet<string> = new Set(["a", "area"]);

/** Protocols that a link may have. */
const linkProtocols: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);

export interface CleanHtmlOptions {
  /** Decides which images are loaded, and from where. */
  readonly imageUrl: ImageUrl;
  /** @default what the browser prefers */
  readonly colors?: PreferredColors;
  readonly signal?: AbortSignal;
}

/** The number of characters that are cleaned without a break. */
const sliceLength = 32_768;
/** Larger style sheets and `style` attributes are removed. */
const maxStyleLength = 262_144;

/**
 * Returns HTML that contains only {@link allowedTags} with attributes that load nothing but images. Links open in a new
 * tab, without an opener and a referrer.
 *
 * It filters tokens and writes each of them again, with everything escaped: a browser reads the result as it was meant,
 * because no element in it but `style` changes how text is read. There is no tree, so the time is linear in the length
 * for any input, and other work runs between slices. (sanitize-html, which builds on the same tokenizer, takes more
 * than a minute for 1 MiB of nested tags.)
 */
export async function cleanHtml(
  html: string,
  { imageUrl, colors, signal }: CleanHtmlOptions,
): Promise<string> {
  const cleaner = new HtmlCleaner(html, imageUrl, colors);
  const tokenizer = new Tokenizer({ decodeEntities: true }, cleaner);
  for (let at = 0; at < html.length; at += sliceLength) {
    tokenizer.write(html.slice(at, at + sliceLength));
    await nextTurn();
    signal?.throwIfAborted();
  }
  tokenizer.end();
  return cleaner.cleaned();
}

/** Resolves once the event loop has run pending work. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

class HtmlCleaner implements TokenizerCallbacks {
  readonly #html: string;
  readonly #imageUrl: ImageUrl;
  readonly #colors: PreferredColors | undefined;
  readonly #output: string[] = [];
  #tag = "";
  #attribute = "";
  #value = "";
  #attributes = new Map<string, string>();
  /** The element whose content is not shown, or "style", whose content is collected. */
  #hidden: string | undefined;
  #style: string[] = [];

  constructor(html: string, imageUrl: ImageUrl, colors: PreferredColors | undefined) {
    this.#html = html;
    this.#imageUrl = imageUrl;
    this.#colors = colors;
  }

  cleaned(): string {
    this.#endHidden();
    return this.#output.join("");
  }

  ontext(start: number, end: number): void {
    this.#addText(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#addText(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.#tag = this.#html.slice(start, end).toLowerCase();
    this.#attributes = new Map();
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#html.slice(start, end).toLowerCase();
    this.#value = "";
  }

  onattribdata(start: number, end: number): void {
    this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    // Of several attributes with one name the first counts, as in a browser.
    if (isKnownAttribute(this.#attribute) && !this.#attributes.has(this.#attribute))
      this.#attributes.set(this.#attribute, this.#value);
  }

  onopentagend(): void {
    const tag = this.#tag;
    if (tag === "style" || hiddenTags.has(tag)) {
      this.#endHidden();
      this.#hidden = tag;
    } else if (allowedTags.has(tag)) this.#output.push(`<${tag}${this.#cleanAttributes(tag)}>`);
  }

  onselfclosingtag(): void {
    // HTML ignores the slash.
    this.onopentagend();
  }

  onclosetag(start: number, end: number): void {
    const tag = this.#html.slice(start, end).toLowerCase();
    if (tag === this.#hidden) this.#endHidden();
    else if (allowedTags.has(tag) && !voidTags.has(tag)) this.#output.push(`</${tag}>`);
  }

  ondeclaration(start: number, end: number): void {
    // Without it the page is shown in quirks mode, as the sender may have meant it.
    if (this.#output.length === 0 && /^!?doctype\s+html\b/i.test(this.#html.slice(start, end)))
      this.#output.push("<!doctype html>");
  }

  oncomment(): void {}
  oncdata(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}

  #addText(text: string): void {
    if (this.#hidden === undefined) this.#output.push(escapeHtml(text));
    else if (this.#hidden === "style") this.#style.push(text);
  }

  #endHidden(): void {
    const css = this.#style.join("");
    this.#style = [];
    this.#hidden = undefined;
    if (css !== "" && css.length <= maxStyleLength)
      this.#output.push(`<style>${cleanCss(css, this.#imageUrl, this.#colors)}</style>`);
  }

  #cleanAttributes(tag: string): string {
    const kept = [...this.#attributes].flatMap(([name, value]) => {
      const cleaned = this.#cleanAttribute(tag, name, value);
      return cleaned === undefined ? [] : ` ${name}="${escapeHtml(cleaned)}"`;
    });
    const isLink = kept.some((attribute) => attribute.startsWith(" href="));
    return kept.join("") + (isLink ? ' target="_blank" rel="noopener noreferrer"' : "");
  }

  #cleanAttribute(tag: string, name: string, value: string): string | undefined {
    if (name === "style") return value.length > maxStyleLength ? undefined : cleanCss(value, this.#imageUrl);
    if (name === "href") return linkTags.has(tag) ? linkTarget(value) : undefined;
    const tags = imageAttributes[name];
    if (tags !== undefined) return tags.has(tag) ? this.#imageUrl(value.trim()) : undefined;
    return value;
  }
}

function isKnownAttribute(name: string): boolean {
  return (
    plainAttributes.has(name) ||
    name === "style" ||
    name === "href" ||
    Object.hasOwn(imageAttributes, name) ||
    /^aria-[a-z]+$/.test(name)
  );
}

/** The address of a link as a browser understands it; undefined if the link must not lead anywhere. */
function linkTarget(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return linkProtocols.has(url.protocol) ? url.href : undefined;
}
