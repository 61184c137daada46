/** The part of a token that a cursor needs. */
interface AnyToken {
  readonly kind: string;
  readonly text: string;
}

/** Reads tokens one after the other. The last one has the kind `end`, and the cursor never passes it. */
export abstract class TokenCursor<Token extends AnyToken> {
  protected readonly tokens: readonly Token[];
  /** The index of the next token. */
  protected at = 0;

  constructor(tokens: readonly Token[]) {
    this.tokens = tokens;
  }

  get next(): Token {
    return this.tokens[this.at] as Token;
  }

  /** The token after the next. */
  get afterNext(): Token | undefined {
    return this.tokens[this.at + 1];
  }

  take(): Token {
    const token = this.next;
    if (token.kind !== "end") this.at++;
    return token;
  }

  isSymbol(text: string): boolean {
    return this.next.kind === "symbol" && this.next.text === text;
  }

  /** Returns whether the next token is this keyword, given in capitals. */
  abstract isKeyword(text: string): boolean;

  /** Skips the next token if it is this symbol. */
  skipSymbol(text: string): boolean {
    const found = this.isSymbol(text);
    if (found) this.at++;
    return found;
  }

  /** Skips the next token if it is this keyword. */
  skipKeyword(text: string): boolean {
    const found = this.isKeyword(text);
    if (found) this.at++;
    return found;
  }

  expectSymbol(text: string): void {
    if (!this.skipSymbol(text)) throw this.syntaxError();
  }

  expectKeyword(text: string): void {
    if (!this.skipKeyword(text)) throw this.syntaxError();
  }

  /** The error for a next token that is not allowed there. */
  abstract syntaxError(): Error;
}
