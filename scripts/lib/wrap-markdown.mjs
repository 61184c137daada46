/**
 * Wraps the prose of Markdown pages at one width. Code, tables, headings, HTML and front matter stay as they are, and so does
 * what must be on one line: code spans and links.
 */

/** Where `npm run format` wraps lines, and the length from which on a line fails the test. */
const usualWidth = 120;
const maxWidth = 140;

/** A line that is not prose, or that a program reads as one line. */
const notProse =
  /^\s*(?:#|\||<|\[[^\]]+\]: |(?:-\s*){3,}$|(?:=\s*)+$)|^(?:Shared options: |It also accepts the options for )|(?: {2}|\\)$/;

/** The start of a list item or a quote, with what begins the lines after it. */
const opening = /^(\s*)((?:[-*+]|\d+[.)]) +|> ?)?/;

/** A word that would begin something other than prose at the start of a line. */
const marker = /^(?:[-+*>|=]|#{1,6}$|\d+[.)]$|```|~~~|<!--|<\/?(?:p|div|table|details|summary|img|br)\b)/;

/** Words of a paragraph. Code spans and links with their spaces are one word. */
const words = /(?:`[^`]*`|!?\[(?:[^[\]`]|`[^`]*`)*\](?:\([^)]*\))?|\S)+/g;

/** @param {{ path: string }} file */
export function isPage({ path }) {
  return /\.md$/.test(path) && !/\/fixtures?\//.test(path);
}

/**
 * Returns the lines of a page that should have been wrapped.
 * @param {{ path: string, source: string }} page
 * @returns {string[]}
 */
export function longLines({ path, source }) {
  const wrapped = new Set(wrapMarkdown(source).split("\n"));
  return source
    .split("\n")
    .flatMap((line, at) => (line.length > maxWidth && !wrapped.has(line) ? [`${path}:${at + 1}`] : []));
}

/**
 * Returns the page with its prose wrapped.
 * @param {string} page
 * @returns {string}
 */
export function wrapMarkdown(page, width = usualWidth) {
  const wrapped = [];
  let paragraph;
  const flush = () => {
    if (paragraph !== undefined) wrapped.push(...wrapParagraph(paragraph, width));
    paragraph = undefined;
  };
  for (const { line, isVerbatim } of linesOf(page)) {
    const [, indent = "", sign = ""] = opening.exec(line) ?? [];
    const text = line.slice(indent.length + sign.length);
    const isIndentedCode = paragraph === undefined && indent.length >= 4 && !isInList(wrapped);
    if (isVerbatim || text === "" || notProse.test(line) || isIndentedCode) {
      flush();
      wrapped.push(line);
    } else if (paragraph === undefined || sign !== "") {
      flush();
      paragraph = {
        first: indent + sign,
        rest: sign.startsWith(">") ? indent + sign : " ".repeat(indent.length + sign.length),
        text,
      };
    } else {
      paragraph.text += ` ${text}`;
    }
  }
  flush();
  return wrapped.join("\n");
}

/** Whether the line after these belongs to a list item. */
function isInList(lines) {
  const before = lines.findLast((line) => line !== "" && !/^\s/.test(line)) ?? "";
  return /^(?:[-*+]|\d+[.)]) /.test(before);
}

function* linesOf(page) {
  let fence;
  let isComment = false;
  for (const [index, line] of page.split("\n").entries()) {
    const mark = /^\s*(?:> ?)?(```+|~~~+)/.exec(line)?.[1];
    const isFrontMatter = index === 0 && line === "---";
    const isVerbatim = fence !== undefined || mark !== undefined || isFrontMatter || isComment;
    if (fence === undefined) fence = isFrontMatter ? "---" : mark;
    else if (fence === "---" ? line === "---" : mark === fence) fence = undefined;
    const wasComment = isComment;
    if (/<!--/.test(line)) isComment = true;
    if (isComment && /-->/.test(line)) isComment = false;
    yield { line, isVerbatim: isVerbatim || wasComment || isComment };
  }
}

function wrapParagraph({ first, rest, text }, width) {
  const lines = [];
  let line = first;
  let isEmpty = true;
  for (const [word] of text.matchAll(words)) {
    if (!isEmpty && line.length + 1 + word.length > width && !marker.test(word)) {
      lines.push(line);
      line = rest;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
