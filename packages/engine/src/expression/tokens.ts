import { TokenCursor } from "./token-cursor.ts";

/** One token of an expression. */
interface Token {
  /** `word`: a name, keyword or function. `name`: `#x`. `value`: `:x`. `index`: an integer. `end`: after the last. */
  readonly kind: "word" | "name" | "value" | "index" | "symbol" | "end";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const pieces: readonly (readonly [Token["kind"], RegExp])[] = [
  ["word", /[A-Za-z][A-Za-z0-9_]*/y],
  ["name", /#[A-Za-z0-9_]+/y],
  ["value", /:[A-Za-z0-9_]+/y],
  ["index", /0|[1-9][0-9]*/y],
  ["symbol", /<>|<=|>=|[()[\],.=<>+-]/y],
];

const space = /[ \t\r\n]*/y;

/** Splits an expression into tokens. A character that begins none becomes a symbol, which the parser rejects. */
function tokenize(expression: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    space.lastIndex = at;
    space.exec(expression);
    at = space.lastIndex;
    if (at >= expression.length) break;
    const token = tokenAt(expression, at);
    tokens.push(token);
    at = token.end;
  }
  tokens.push({ kind: "end", text: "<EOF>", start: expression.length, end: expression.length });
  return tokens;
}

function tokenAt(expression: string, start: number): Token {
  for (const [kind, pattern] of pieces) {
    pattern.lastIndex = start;
    const text = pattern.exec(expression)?.[0];
    if (text !== undefined) return { kind, text, start, end: start + text.length };
  }
  return { kind: "symbol", text: expression.charAt(start), start, end: start + 1 };
}

/** An error in an expression; the caller puts DynamoDB's `Invalid …Expression: ` before it. */
export class ExpressionError extends Error {}

/** DynamoDB's error for a pair of parentheses around another. */
export function redundantParentheses(): ExpressionError {
  return new ExpressionError("The expression has redundant parentheses;");
}

/** Words of the grammar: as names they need a placeholder, in every position. */
const keywords: ReadonlySet<string> = new Set([
  "AND",
  "OR",
  "NOT",
  "BETWEEN",
  "IN",
  "SET",
  "REMOVE",
  "ADD",
  "DELETE",
]);

/** Reads the tokens of an expression one after the other. */
export class TokenReader extends TokenCursor<Token> {
  readonly #expression: string;
  #noted: { readonly at: number; readonly fault: ExpressionError } | undefined;
  /** The number of operators and functions so far. */
  operators = 0;

  constructor(expression: string) {
    super(tokenize(expression));
    this.#expression = expression;
  }

  /** Keywords are not case sensitive. */
  override isKeyword(text: string): boolean {
    return this.next.kind === "word" && this.next.text.toUpperCase() === text;
  }

  expectEnd(): void {
    if (this.next.kind !== "end") throw this.syntaxError();
  }

  /** Returns all tokens of a kind, in order. */
  textsOf(kind: Token["kind"]): string[] {
    return this.tokens.filter((token) => token.kind === kind).map(({ text }) => text);
  }

  /** Returns whether the next token is a name or a function: a word that is not a keyword. */
  isWord(): boolean {
    return this.next.kind === "word" && !keywords.has(this.next.text.toUpperCase());
  }

  /** Returns whether the next tokens call a function. */
  isCall(): boolean {
    return this.isWord() && this.afterNext?.kind === "symbol" && this.afterNext.text === "(";
  }

  /**
   * Remembers an error that is reported only if the rest of the expression is grammatical. The first in the text
   * wins.
   */
  noteError(at: number, fault: string): void {
    if (this.#noted === undefined || at < this.#noted.at) {
      this.#noted = { at, fault: new ExpressionError(fault) };
    }
  }

  throwNotedError(): void {
    if (this.#noted !== undefined) throw this.#noted.fault;
  }

  /**
   * Reads the parenthesis that closes a part. `inner`: the part itself is in parentheses, so this pair is
   * redundant.
   */
  closeParenthesis(inner: boolean): void {
    this.expectSymbol(")");
    if (inner) throw redundantParentheses();
  }

  /** The depth of nested parentheses. */
  get deepestNesting(): number {
    let deepest = 0;
    let depth = 0;
    for (const { kind, text } of this.tokens) {
      if (kind !== "symbol") continue;
      if (text === "(") deepest = Math.max(deepest, ++depth);
      if (text === ")") depth--;
    }
    return deepest;
  }

  /** True if as many parentheses are closed as are opened. */
  get isBalanced(): boolean {
    const count = (symbol: string) => this.textsOf("symbol").filter((text) => text === symbol).length;
    return count("(") === count(")");
  }

  /** Returns whether a pair of parentheses contains nothing but another pair. */
  hasRedundantParentheses(): boolean {
    const open: number[] = [];
    let closed = { from: -1, to: -1 };
    for (const [at, { kind, text }] of this.tokens.entries()) {
      if (kind !== "symbol") continue;
      if (text === "(") open.push(at);
      if (text !== ")") continue;
      const from = open.pop();
      if (from === undefined) return false;
      if (closed.from === from + 1 && closed.to === at - 1) return true;
      closed = { from, to: at };
    }
    return false;
  }

  /** The error for an expression that ends too early. */
  syntaxErrorAtEnd(): ExpressionError {
    this.at = this.tokens.length - 1;
    return this.syntaxError();
  }

  override syntaxError(): ExpressionError {
    const start = this.tokens[this.at - 1]?.start ?? 0;
    const after = this.tokens[this.at + 1] ?? this.next;
    const near = this.#expression.slice(start, after.end);
    return new ExpressionError(`Syntax error; token: "${this.next.text}", near: "${near}"`);
  }
}
