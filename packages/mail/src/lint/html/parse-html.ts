import { Parser } from "htmlparser2";

/** An element of an HTML part. */
export interface HtmlElement {
  /** In lower case. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its line in the HTML, from 1. */
  readonly line: number;
  /** The text of a link, with whitespace as it is. */
  text: string;
}

/** An HTML part as the rules read it. */
export interface ParsedHtml {
  readonly elements: readonly HtmlElement[];
  /** The contents of `style` elements. */
  readonly sheets: readonly { readonly css: string; readonly line: number }[];
  /** The text that readers see. */
  readonly text: string;
}

/** What is read of one part. */
const maxCharacters = 524_288;
const maxElements = 20_000;

/** Parses HTML as browsers do. Comments, those with conditions for Outlook included, are ignored. */
export function parseHtml(whole: string): ParsedHtml {
  const html = whole.slice(0, maxCharacters);
  const elements: HtmlElement[] = [];
  const sheets: { css: string; line: number }[] = [];
  const lineOf = lineCounter(html);
  let hidden = "";
  let text = "";
  let link: HtmlElement | undefined;
  const parser = new Parser({
    onopentag(name, attributes) {
      const line = lineOf(parser.startIndex);
      if (name === "style" || name === "script" || name === "title") hidden = name;
      if (name === "style") sheets.push({ css: "", line });
      if (elements.length >= maxElements) return;
      const element = { name, attributes, line, text: "" };
      elements.push(element);
      if (name === "a") link = element;
    },
    ontext(piece) {
      const sheet = sheets.at(-1);
      if (hidden === "style" && sheet !== undefined) sheet.css += piece;
      if (hidden !== "") return;
      text += piece;
      if (link !== undefined) link.text += piece;
    },
    onclosetag(name) {
      if (name === hidden) hidden = "";
      if (name === "a") link = undefined;
    },
  });
  parser.end(html);
  return { elements, sheets, text };
}

/** Returns the line of a position. Positions are requested in ascending order, so each line end is searched for once. */
function lineCounter(html: string): (at: number) => number {
  let line = 1;
  let next = html.indexOf("\n");
  return (at) => {
    for (; next >= 0 && next < at; next = html.indexOf("\n", next + 1)) line++;
    return line;
  };
}
