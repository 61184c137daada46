import { type CSSToken, TokenType, tokenize } from "@csstools/css-tokenizer";

/** Called with the id of each feature that a style uses. Ids without data are ignored by the caller. */
export type UseFeature = (id: string) => void;

/** At-rules whose blocks contain rules. */
const groupRules: ReadonlySet<string> = new Set([
  "media",
  "supports",
  "layer",
  "container",
  "document",
  "scope",
]);

/** Finds the features of a style sheet. */
export function sheetFeatures(css: string, use: UseFeature): void {
  const tokens = tokenize({ css });
  let at = 0;
  /** What each open block contains. */
  const blocks: ("rules" | "frames" | "declarations")[] = [];
  while (at < tokens.length) {
    if (tokens[at]?.[0] === TokenType.CloseCurly) {
      blocks.pop();
      at++;
      continue;
    }
    const end = pieceEnd(tokens, at);
    const piece = tokens.slice(at, end);
    const isBlock = tokens[end]?.[0] === TokenType.OpenCurly;
    const inside = blocks.at(-1) ?? "rules";
    if (isBlock) blocks.push(openBlock(piece, inside, use));
    else if (inside === "declarations") declarationFeatures(piece, use);
    else atRuleName(piece, use);
    at = tokens[end]?.[0] === TokenType.CloseCurly ? end : end + 1;
  }
}

/** Finds the features of a `style` attribute. */
export function attributeFeatures(css: string, use: UseFeature): void {
  const tokens = tokenize({ css });
  for (let at = 0; at < tokens.length; ) {
    const end = pieceEnd(tokens, at);
    declarationFeatures(tokens.slice(at, end), use);
    at = end + 1;
  }
}

/** The end of a declaration, or of what precedes a block. */
function pieceEnd(tokens: readonly CSSToken[], from: number): number {
  const ends: readonly string[] = [TokenType.Semicolon, TokenType.OpenCurly, TokenType.CloseCurly];
  let at = from;
  while (at < tokens.length && !ends.includes(tokens[at]?.[0] ?? "")) at++;
  return at;
}

function openBlock(
  piece: readonly CSSToken[],
  inside: string,
  use: UseFeature,
): "rules" | "frames" | "declarations" {
  const name = atRuleName(piece, use);
  if (name === undefined) {
    if (inside === "declarations") use("css-nesting");
    if (inside !== "frames") selectorFeatures(piece, use);
    return "declarations";
  }
  if (name === "media")
    for (const token of piece)
      if (token[0] === TokenType.Ident)
        use(`css-at-media-${token[4].value.toLowerCase().replace(/^-webkit-(?:min-|max-)?/, "")}`);
  if (name.endsWith("keyframes")) return "frames";
  return groupRules.has(name) ? "rules" : "declarations";
}

function atRuleName(piece: readonly CSSToken[], use: UseFeature): string | undefined {
  const token = piece.find(([type]) => type !== TokenType.Whitespace && type !== TokenType.Comment);
  if (token?.[0] !== TokenType.AtKeyword) return undefined;
  const name = token[4].value.toLowerCase();
  use(`css-at-${name}`);
  return name;
}

const combinators: Readonly<Record<string, string>> = {
  ">": "child",
  "+": "adjacent-sibling",
  "~": "general-sibling",
  "*": "universal",
};

const opening: ReadonlySet<string> = new Set([TokenType.OpenParen, TokenType.OpenSquare, TokenType.Function]);
const closing: ReadonlySet<string> = new Set([TokenType.CloseParen, TokenType.CloseSquare]);

function selectorFeatures(piece: readonly CSSToken[], use: UseFeature): void {
  const text = piece
    .map(([, raw]) => raw)
    .join("")
    .trim();
  let depth = 0;
  piece.forEach((token, at) => {
    const before = piece[at - 1];
    const [type] = token;
    if (opening.has(type)) depth++;
    if (closing.has(type)) depth--;
    if (type === TokenType.Ident && depth === 0 && !/^[.:]$/.test(before?.[1] ?? ""))
      use("css-selector-type");
    if (type === TokenType.Hash) use("css-selector-id");
    else if (type === TokenType.OpenSquare) use("css-selector-attribute");
    else if (type === TokenType.Comma) use("css-selector-grouping");
    else if (type === TokenType.Delim && token[4].value === ".") use("css-selector-class");
    else if (type === TokenType.Delim) use(`css-selector-${combinators[token[4].value] ?? ""}`);
    else if ((type === TokenType.Ident || type === TokenType.Function) && before?.[0] === TokenType.Colon) {
      const name = token[4].value.toLowerCase();
      use(`css-pseudo-class-${name}`);
      use(`css-pseudo-element-${name}`);
    }
  });
  if (/[\w\])]\s+[\w.#*:[]/.test(text)) use("css-selector-descendant");
  if (/[.#][\w-]+[.#]|\w\[[^\]]*\][.#[]/.test(text)) use("css-selector-chaining");
}

/** Properties whose feature has another name than the property. */
const propertyFeatures: Readonly<Record<string, string>> = {
  left: "left-right-top-bottom",
  right: "left-right-top-bottom",
  top: "left-right-top-bottom",
  bottom: "left-right-top-bottom",
  columns: "column-layout-properties",
  "column-gap": "column-layout-properties",
  "block-size": "block-inline-size",
  "row-gap": "gap",
  "grid-template-areas": "grid-template",
  "grid-template-columns": "grid-template",
  "grid-template-rows": "grid-template",
  "margin-block": "margin-inline-block",
  "margin-inline": "margin-inline-block",
  "padding-block": "padding-inline-block",
  "padding-inline": "padding-inline-block",
  "border-block": "border-inline-block",
  "border-inline": "border-inline-block",
  "inset-block": "inset",
  "inset-inline": "inset",
  "-webkit-user-select": "user-select",
};

/** The same for properties of one form. */
const propertyForms: readonly (readonly [form: RegExp, feature: string])[] = [
  [/^(?:margin|padding)-(?:block|inline)-(?:start|end)$/, "$&-end"],
  [/^border-(?:block|inline)-(?:start|end)$/, "border-inline-block-individual"],
  [/^border-(?:block|inline)(?:-start|-end)?-(?:color|style|width)$/, "border-inline-block-longhand"],
  [/^border-(?:start|end)-(?:start|end)-radius$/, "border-radius-logical"],
  [/^border-(?:top|bottom)-(?:left|right)-radius$/, "border-radius"],
  [/^border-(?:top|right|bottom|left)(?:-(?:color|style|width))?$/, "border"],
  [/^(animation|transition|outline|scroll-snap)-(?!offset$).+$/, "$1"],
  [/^text-emphasis-(?:color|style)$/, "text-emphasis"],
  [/^column-(?:fill|span|width|rule(?:-.+)?)$/, "column-layout-properties"],
];

/** The feature of a property, without `css-`. */
function featureOf(property: string): string {
  const found = propertyForms.find(([form]) => form.test(property));
  if (found === undefined) return propertyFeatures[property] ?? property;
  return property.replace(...found).replace(/-(?:start|end)-end$/, "-start-end");
}

function declarationFeatures(piece: readonly CSSToken[], use: UseFeature): void {
  if (piece.some(([type]) => type === TokenType.Comment)) use("css-comments");
  const tokens = piece.filter(([type]) => type !== TokenType.Whitespace && type !== TokenType.Comment);
  const [name, colon, ...value] = tokens;
  if (name?.[0] !== TokenType.Ident || colon?.[0] !== TokenType.Colon) return;
  const property = name[4].value.toLowerCase();
  if (property.startsWith("--")) use("css-variables");
  use(`css-${featureOf(property)}`);
  if (property === "inline-size") use("css-block-inline-size");
  for (const token of value) valueFeatures(property, token, use);
}

/** Functions whose feature has another name than the function. */
const functionFeatures: Readonly<Record<string, string>> = {
  calc: "unit-calc",
  min: "function-min",
  max: "function-max",
  clamp: "function-clamp",
  "light-dark": "function-light-dark",
  var: "variables",
  hwb: "modern-color",
  lab: "modern-color",
  lch: "modern-color",
  oklab: "modern-color",
  oklch: "modern-color",
  color: "modern-color",
  "color-mix": "modern-color",
  "repeating-linear-gradient": "linear-gradient",
  "repeating-radial-gradient": "radial-gradient",
};

function valueFeatures(property: string, token: CSSToken, use: UseFeature): void {
  const [type] = token;
  if (type === TokenType.Percentage) use("css-unit-percent");
  else if (type === TokenType.Dimension) use(`css-unit-${token[4].unit.toLowerCase()}`);
  else if (type === TokenType.Delim && token[4].value === "!") use("css-important");
  else if (type === TokenType.Function) {
    const name = token[4].value.toLowerCase();
    use(`css-${functionFeatures[name] ?? name}`);
  } else if (type === TokenType.Ident) {
    const word = token[4].value.toLowerCase();
    if (property === "display") use(`css-display-${word.replace(/^inline-(flex|grid)$/, "$1")}`);
    if (/^(?:min-content|max-content|fit-content)$/.test(word)) use("css-intrinsic-size");
    if (word === "initial") use("css-unit-initial");
    if (/^(?:system-ui|ui-(?:serif|sans-serif|rounded|monospace))$/.test(word)) use("css-sytem-ui");
  }
}
