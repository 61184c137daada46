import type { DynamoError } from "@tablekeep/core";
import { skipSpace } from "@tablekeep/core";
import { TokenCursor } from "../expression/token-cursor.ts";
import { isConvertible } from "../values/check-number.ts";
import { invalid } from "../values/dynamo-errors.ts";

/** One token of a statement. */
interface Token {
  /**
   * `word`: a plain name or function. `quoted`: a name in double quotes. `text`: a string. `ion`: a literal in
   * backquotes.
   */
  readonly kind: "keyword" | "word" | "quoted" | "text" | "number" | "parameter" | "symbol" | "ion" | "end";
  /** The content: keywords in capitals, names and strings without their quotes. */
  readonly text: string;
  readonly position: TokenPosition;
}

type Piece = readonly [kind: Token["kind"], pattern: RegExp, read?: (found: string) => string];

const unquote = (quote: string) => (found: string) => found.slice(1, -1).replaceAll(quote + quote, quote);

const pieces: readonly Piece[] = [
  ["word", /[A-Za-z_$][A-Za-z0-9_$]*/y],
  ["text", /'(?:[^']|'')*'/y, unquote("'")],
  ["quoted", /"(?:[^"]|"")*"/y, unquote('"')],
  ["number", /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y],
  ["parameter", /\?/y],
  ["ion", /`[^`]*`/y],
  ["symbol", /<<|>>|<>|<=|>=|!=|\|\||[()[\]{},.:=<>+\-*/%;]/y],
];

/** Splits a statement into tokens. Throws at a character that begins none, and at a comment that does not end. */
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
    const start = skipSpace(statement, at, lastCommentEnd);
    passLines(start);
    const position = { line, column: start - lineStart + 1 };
    if (start >= statement.length) {
      tokens.push({ kind: "end", text: "", position: { ...position, length: 0 } });
      return tokens;
    }
    if (statement.startsWith("/*", start)) throw malformedStatement("");
    const { kind, found, text } = pieceAt(statement, start);
    tokens.push({ kind, text, position: { ...position, length: found.length } });
    at = start + found.length;
  }
}

function pieceAt(statement: string, start: number): { kind: Token["kind"]; found: string; text: string } {
  for (const [kind, pattern, read] of pieces) {
    pattern.lastIndex = start;
    const found = pattern.exec(statement)?.[0];
    if (found === undefined) continue;
    if (kind === "word" && isKeyword(found)) return { kind: "keyword", found, text: found.toUpperCase() };
    if (kind === "number" && !isConvertible(found)) break;
    return { kind, found, text: read === undefined ? found : read(found) };
  }
  // DynamoDB does not say more.
  throw malformedStatement("");
}

/** The deepest nesting of a statement. The parser is recursive. */
const maxDepth = 100;

/** Reads the tokens of a statement one after the other. */
export class StatementReader extends TokenCursor<Token> {
  #depth = 0;
  /** The number of parameters so far. */
  parameters = 0;

  constructor(statement: string) {
    super(tokenize(statement));
  }

  override isKeyword(text: string): boolean {
    return this.next.kind === "keyword" && this.next.text === text;
  }

  /** Expects the end, with or without a semicolon. */
  expectEnd(): void {
    this.skipSymbol(";");
    if (this.next.kind !== "end") throw leftoverToken();
  }

  /** Runs the parser of one level of nesting. */
  descend<Result>(read: () => Result): Result {
    if (this.#depth >= maxDepth) throw malformedStatement("Statement is nested too deeply");
    this.#depth++;
    const result = read();
    this.#depth--;
    return result;
  }

  override syntaxError(): DynamoError {
    const { kind, text, position } = this.next;
    if (kind === "end") return malformedStatement("Unexpected end of statement");
    if (kind === "keyword") return malformedStatement("Unexpected keyword");
    return malformedStatement(`Unexpected token "${text}" ${formatPosition(position)}`);
  }

  /** The error for a next token with which no value begins. */
  termError(): DynamoError {
    const { kind, text } = this.next;
    const isOperator =
      kind === "keyword" ? operatorWords.has(text) : kind === "symbol" && operatorSymbols.has(text);
    if (isOperator) return malformedStatement("Unexpected operator");
    return malformedStatement(kind === "keyword" ? "Unexpected keyword" : "Unexpected term");
  }
}

const operatorWords: ReadonlySet<string> = new Set(["AND", "OR", "IS", "IN", "LIKE", "BETWEEN"]);
const operatorSymbols: ReadonlySet<string> = new Set([
  "=",
  "<>",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "||",
  "*",
  "/",
  "%",
]);

/** DynamoDB's error for a token after a complete statement. */
export function leftoverToken(): DynamoError<"ValidationException"> {
  return malformedStatement("Unexpected token after expression");
}

/** DynamoDB's error for a statement that cannot be parsed. */
export function malformedStatement(detail: string): DynamoError<"ValidationException"> {
  return invalid(`Statement wasn't well formed, can't be processed: ${detail}`);
}

/** A position in a statement. */
export interface TokenPosition {
  /** Lines and columns count from 1. */
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Formats a position in DynamoDB's notation. */
export function formatPosition({ line, column, length }: TokenPosition): string {
  return `at ${line}:${column}:${length}`;
}

/**
 * The keywords of PartiQL and SQL-92: as the name of a table or attribute they must be in double quotes. The list for
 * expressions is a different, longer one.
 */
const words = `
  absolute action add all allocate alter and any are as asc assertion at authorization avg bag begin between
  bit bit_length blob bool boolean by cascade cascaded case cast catalog char char_length character
  character_length check clob close coalesce collate collation column commit conflict connect connection
  constraint constraints continue convert corresponding count create cross current current_date current_time
  current_timestamp current_user cursor date date_add date_diff deallocate dec decimal declare default
  deferrable deferred delete desc describe descriptor diagnostics disconnect distinct do domain double drop
  else end escape except exception exec execute exists external extract false fetch first float for foreign
  found from full get global go goto grant group having identity immediate in index indicator initially
  inner input insensitive insert int integer intersect interval into is isolation join key language last
  left let level like limit list local lower match max min missing modified module names national natural
  nchar new next no not nothing null nullif numeric octet_length of old on only open option or order outer
  output overlaps pad partial pivot position precision prepare preserve primary prior privileges procedure
  public read real references relative remove restrict returning revoke right rollback rows schema scroll
  section select session session_user set sexp size smallint some space sql sqlcode sqlerror sqlstate string
  struct substring sum symbol system_user table temporary then time timestamp to transaction translate
  translation trim true tuple union unique unknown unpivot update upper usage user using value values
  varchar varying view when whenever where with work write zone
`;

const keywords: ReadonlySet<string> = new Set(words.split(/\s+/).filter((word) => word !== ""));

/** Returns whether a word must be quoted to be a name. */
export function isKeyword(word: string): boolean {
  return keywords.has(word.toLowerCase());
}
