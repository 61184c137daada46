import { isKeyword } from "./keywords.ts";
import type { Position } from "./statement-fault.ts";

/** One piece of a statement. */
export interface Token {
  /** `word`: a plain name or function. `quoted`: a name in double quotes. `text`: a string. `ion`: a literal in backquotes. */
  readonly kind: "keyword" | "word" | "quoted" | "text" | "number" | "parameter" | "symbol" | "ion" | "end";
  /** What it says: keywords in capitals, names and strings without their quotes. */
  readonly text: string;
  readonly position: Position;
}

type Piece = readonly [kind: Token["kind"], pattern: RegExp, read?: (found: string) => string];

const unquoted = (quote: string) => (found: string) => found.slice(1, -1).replaceAll(quote + quote, quote);

const pieces: readonly Piece[] = [
  ["word", /[A-Za-z_$][A-Za-z0-9_$]*/y],
  ["text", /'(?:[^']|'')*'/y, unquoted("'")],
  ["quoted", /"(?:[^"]|"")*"/y, unquoted('"')],
  ["number", /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y],
  ["parameter", /\?/y],
  ["ion", /`[^`]*`/y],
  ["symbol", /<<|>>|<>|<=|>=|!=|\|\||[()[\]{},.:=<>+\-*/%;]/y],
];

/** A statement cut into its pieces. A character that begins none becomes a symbol of its own, for the parser to refuse. */
export function tokenize(statement: string): Token[] {
  const tokens: Token[] = [];
  const lastCommentEnd = statement.lastIndexOf("*/");
  let line = 1;
  let lineStart = 0;
  let nextBreak = statement.indexOf("\n");
  const passLines = (to: number) => {
    while (nextBreak !== -1 && nextBreak < to) {
      line++;
      lineStart = nextBreak + 1;
      nextBreak = statement.indexOf("\n", lineStart);
    }
  };
  let at = 0;
  for (;;) {
    const start = afterSpace(statement, at, lastCommentEnd);
    passLines(start);
    const position = { line, column: start - lineStart + 1 };
    if (start >= statement.length) {
      tokens.push({ kind: "end", text: "", position: { ...position, length: 0 } });
      return tokens;
    }
    const { kind, found, text } = pieceAt(statement, start);
    tokens.push({ kind, text, position: { ...position, length: found.length } });
    at = start + found.length;
  }
}

/** The word that a statement begins with, after spaces and comments, in capitals; empty if it begins with none. */
export function firstWord(statement: string): string {
  const { kind, found } = pieceAt(statement, afterSpace(statement, 0, statement.lastIndexOf("*/")));
  return kind === "keyword" || kind === "word" ? found.toUpperCase() : "";
}

const space = /[ \t\r\n\f\v]*/y;

/** Where the next piece begins, after spaces, line breaks and comments. A comment without an end is none. */
function afterSpace(statement: string, from: number, lastCommentEnd: number): number {
  let at = from;
  for (;;) {
    space.lastIndex = at;
    space.exec(statement);
    at = space.lastIndex;
    const opening = statement.slice(at, at + 2);
    if (opening !== "--" && opening !== "/*") return at;
    if (opening === "/*") {
      // Not searched for where there is none: many openings would each search to the end.
      if (at + 2 > lastCommentEnd) return at;
      at = statement.indexOf("*/", at + 2) + 2;
    } else {
      const lineEnd = statement.indexOf("\n", at);
      if (lineEnd === -1) return statement.length;
      at = lineEnd + 1;
    }
  }
}

function pieceAt(statement: string, start: number): { kind: Token["kind"]; found: string; text: string } {
  for (const [kind, pattern, read] of pieces) {
    pattern.lastIndex = start;
    const found = pattern.exec(statement)?.[0];
    if (found === undefined) continue;
    if (kind === "word" && isKeyword(found)) return { kind: "keyword", found, text: found.toUpperCase() };
    return { kind, found, text: read === undefined ? found : read(found) };
  }
  const found = statement.charAt(start);
  return { kind: "symbol", found, text: found };
}
