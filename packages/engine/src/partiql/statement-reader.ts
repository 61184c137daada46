import type { DynamoError } from "@tablekeep/core";
import { malformed, shownPosition } from "./statement-fault.ts";
import { type Token, tokenize } from "./tokens.ts";

/** How deep a statement may nest. The parser descends with it. */
const maxDepth = 100;

/** Reads the tokens of a statement one after the other. */
export class StatementReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  /** Parameters met so far. */
  parameters = 0;

  constructor(statement: string) {
    this.#tokens = tokenize(statement);
  }

  get next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  /** The token after the next. */
  get afterNext(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  take(): Token {
    const token = this.next;
    if (token.kind !== "end") this.#at++;
    return token;
  }

  isSymbol(text: string): boolean {
    return this.next.kind === "symbol" && this.next.text === text;
  }

  isKeyword(text: string): boolean {
    return this.next.kind === "keyword" && this.next.text === text;
  }

  /** Takes the next token if it is this symbol. */
  skipSymbol(text: string): boolean {
    const found = this.isSymbol(text);
    if (found) this.#at++;
    return found;
  }

  /** Takes the next token if it is this keyword. */
  skipKeyword(text: string): boolean {
    const found = this.isKeyword(text);
    if (found) this.#at++;
    return found;
  }

  expectSymbol(text: string): void {
    if (!this.skipSymbol(text)) throw this.unexpected();
  }

  expectKeyword(text: string): void {
    if (!this.skipKeyword(text)) throw this.unexpected();
  }

  /** The end, after a semicolon or without one. */
  expectEnd(): void {
    this.skipSymbol(";");
    if (this.next.kind !== "end") throw this.unexpected();
  }

  /** Runs what reads one level of nesting. */
  descend<Result>(read: () => Result): Result {
    if (this.#depth >= maxDepth) throw malformed("Statement is nested too deeply");
    this.#depth++;
    const result = read();
    this.#depth--;
    return result;
  }

  /** The next token is not what should stand there. */
  unexpected(): DynamoError {
    const { kind, text, position } = this.next;
    if (kind === "end") return malformed("Unexpected end of statement");
    const what = kind === "keyword" ? "Unexpected keyword" : `Unexpected token "${text}"`;
    return malformed(`${what} ${shownPosition(position)}`);
  }
}
