/** One piece of an expression. */
export interface Token {
  /** `word`: a name, keyword or function. `name`: `#x`. `value`: `:x`. `index`: a whole number. `end`: after the last. */
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

/** An expression cut into its pieces. A character that begins none becomes a symbol of its own, for the parser to refuse. */
export function tokenize(expression: string): Token[] {
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
