import { type CSSToken, TokenType, tokenize } from "@csstools/css-tokenizer";

/** Returns the URL to load an image from, or undefined if the image must not be loaded. */
export type ImageUrl = (url: string) => string | undefined;

/** The colors that the reader prefers, for style sheets that have others for dark mode. */
export type PreferredColors = "light" | "dark";

/** Loads nothing, and keeps the surrounding declaration valid. */
const noImage = "data:,";

/** Conditions on widths that always hold, and that never do. */
const [always, never] = ["0px", "1000000px"];

/** Rules that load other files or change how names are read. */
const droppedRules: ReadonlySet<string> = new Set(["import", "namespace", "charset"]);

/** Functions whose strings are URLs. */
const urlFunctions: ReadonlySet<string> = new Set(["url", "src", "image", "image-set", "-webkit-image-set"]);

/**
 * Removes from a style sheet, or from a `style` attribute, everything that loads something: `@import` and every URL for which
 * `imageUrl` returns undefined. The result contains no `<`, so it cannot end a `style` element. With `colors`, conditions on
 * `prefers-color-scheme` hold for these, whatever the browser prefers.
 */
export function cleanCss(css: string, imageUrl: ImageUrl, colors?: PreferredColors): string {
  const cleaned: string[] = [];
  /** The functions and parentheses that are open; "" for parentheses without a name. */
  const open: string[] = [];
  let inDroppedRule = false;
  let inColorCondition = false;
  for (const token of tokenize({ css })) {
    const [type] = token;
    if (inDroppedRule) {
      inDroppedRule = type !== TokenType.OpenCurly && type !== TokenType.CloseCurly;
      if (type === TokenType.Semicolon) inDroppedRule = false;
      if (inDroppedRule || type === TokenType.Semicolon) continue;
    }
    if (type === TokenType.AtKeyword && droppedRules.has(token[4].value.toLowerCase())) {
      inDroppedRule = true;
      continue;
    }
    if (type === TokenType.Function) open.push(token[4].value.toLowerCase());
    if (type === TokenType.OpenParen) open.push("");
    if (type === TokenType.CloseParen) open.pop();
    if (colors !== undefined && open.at(-1) === "" && type === TokenType.Ident) {
      const name = token[4].value.toLowerCase();
      if (inColorCondition || name === "prefers-color-scheme") {
        cleaned.push(inColorCondition ? (name === colors ? always : never) : "min-width");
        inColorCondition = !inColorCondition;
        continue;
      }
    }
    if (type === TokenType.CloseParen) inColorCondition = false;
    cleaned.push(cleanToken(token, urlFunctions.has(open.at(-1) ?? ""), imageUrl));
  }
  return cleaned.join("").replaceAll("<", "\\3c ");
}

function cleanToken(token: CSSToken, inUrlFunction: boolean, imageUrl: ImageUrl): string {
  switch (token[0]) {
    case TokenType.Comment:
      return " ";
    case TokenType.BadString:
    case TokenType.BadURL:
    case TokenType.CDO:
    case TokenType.CDC:
    case TokenType.EOF:
      return "";
    case TokenType.URL:
      return `url(${quoted(imageUrl(token[4].value) ?? noImage)})`;
    case TokenType.String:
      return inUrlFunction ? quoted(imageUrl(token[4].value) ?? noImage) : token[1];
    default:
      return token[1];
  }
}

function quoted(text: string): string {
  return `"${text.replace(/["\\\n\r\f]/g, (character) => `\\${character.codePointAt(0)?.toString(16)} `)}"`;
}
