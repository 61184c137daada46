/**
 * The markup of a message that is shown: what formats text, tables and images. Everything else is removed: scripts,
 * frames, plugins, forms, media, `link`, `meta`, `base`, SVG, MathML, event handlers, and attributes that load or send
 * something.
 */
export const allowedTags: ReadonlySet<string> = new Set(
  (
    "html body a abbr acronym address area article aside b bdi bdo big blockquote br caption center cite code col " +
    "colgroup dd del details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hr i img ins " +
    "kbd li main map mark menu nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup " +
    "table tbody td tfoot th thead time tr tt u ul var wbr"
  ).split(" "),
);

/** Elements without an end tag. */
export const voidTags: ReadonlySet<string> = new Set(["area", "br", "col", "hr", "img", "wbr"]);

/**
 * Elements whose content is not text for readers, and in which a parser recognizes no markup. `style` is handled on
 * its own.
 */
export const hiddenTags: ReadonlySet<string> = new Set(
  "script iframe noembed noframes title textarea xmp".split(" "),
);

/** Attributes that are kept as they are, on every element. */
export const plainAttributes: ReadonlySet<string> = new Set(
  (
    "abbr align alt axis bgcolor border cellpadding cellspacing char charoff class clear color cols colspan compact " +
    "coords datetime dir face frame headers height hspace id lang name noshade nowrap open reversed role rows rowspan " +
    "rules scope shape size span start summary title type usemap valign value vspace width"
  ).split(" "),
);

/** Attributes that name an image, by element; `background` is one on every element that has it. */
export const imageAttributes: Readonly<Record<string, ReadonlySet<string>>> = {
  src: new Set(["img"]),
  background: new Set(["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"]),
};

/** Elements whose `href` is a link. */
export const linkTags: ReadonlySet<string> = new Set(["a", "area"]);

/** Protocols that a link may have. */
export const linkProtocols: ReadonlySet<string> = new Set(["http:", "https:", "mailto:"]);
