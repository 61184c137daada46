import { attributeFeatures, sheetFeatures, type UseFeature } from "./css-features.ts";
import type { HtmlElement, ParsedHtml } from "./parse-html.ts";

/** Elements whose feature has another name than the element. */
const elementFeatures: Readonly<Record<string, string>> = {
  ...named("lists", "ul ol dl"),
  ...named("h1-h6", "h1 h2 h3 h4 h5 h6"),
  ...named(
    "semantics",
    "article aside details figcaption figure footer header main mark nav section summary time",
  ),
  ...named("image-maps", "map area"),
};

function named(feature: string, elements: string): Record<string, string> {
  return Object.fromEntries(elements.split(" ").map((name) => [name, feature]));
}

/** Attributes that are features, whatever the element. */
const attributes: ReadonlySet<string> = new Set(
  "align background cellpadding cellspacing dir height hidden lang popover required role srcset target valign width".split(
    " ",
  ),
);

/** Image formats by the ending of a file name or by the subtype of a media type. */
const imageFormats: Readonly<Record<string, string>> = {
  apng: "apng",
  avif: "avif",
  bmp: "bmp",
  gif: "gif",
  hdr: "hdr",
  heic: "heif",
  heif: "heif",
  ico: "ico",
  jpg: "jpg",
  jpeg: "jpg",
  mp4: "mp4",
  png: "png",
  svg: "svg",
  "svg+xml": "svg",
  tif: "tiff",
  tiff: "tiff",
  webp: "webp",
};

/** Returns the line of the first use of each feature of HTML, CSS and images, by its id. */
export function featuresOf({ elements, sheets }: ParsedHtml): Map<string, number> {
  const lines = new Map<string, number>();
  const useAt =
    (line: number): UseFeature =>
    (id) => {
      if (!lines.has(id)) lines.set(id, line);
    };
  for (const element of elements) elementUses(element, useAt(element.line));
  for (const { css, line } of sheets) sheetFeatures(css, useAt(line));
  return lines;
}

function elementUses({ name, attributes: given }: HtmlElement, use: UseFeature): void {
  const type = (given["type"] ?? "").toLowerCase();
  use(`html-${elementFeatures[name] ?? name}`);
  if (name === "input") use(`html-input-${type || "text"}`);
  if (name === "button") use(`html-button-${type || "submit"}`);
  if (name === "meta" && given["name"]?.toLowerCase() === "color-scheme") use("html-meta-color-scheme");
  for (const attribute of Object.keys(given)) {
    if (attributes.has(attribute) || attribute.startsWith("aria-")) use(`html-${attribute}`);
    if (attribute === "loading") use("html-loading-attribute");
    if (attribute === "inert") use("css-inert-attribute");
  }
  if (given["style"] !== undefined) attributeFeatures(given["style"], use);
  if (name === "a") {
    if (/^#./.test(given["href"] ?? "")) use("html-anchor-links");
    if (/^mailto:/i.test(given["href"] ?? "")) use("html-mailto-links");
  }
  if (name === "img") imageUses(given["src"] ?? "", use);
}

function imageUses(src: string, use: UseFeature): void {
  const [, embedded] = /^data:image\/([\w.+-]+)[;,]/i.exec(src) ?? [];
  const [, ending] = /\.(\w{2,5})(?:[?#].*)?$/.exec(src) ?? [];
  if (embedded !== undefined) use("image-base64");
  const format = imageFormats[(embedded ?? ending ?? "").toLowerCase()];
  if (format !== undefined) use(`image-${format}`);
}
