import type { QueryCondition, QueryOperator, QueryPath, QueryValue } from "./query-condition.ts";
import { plainRoots, queryRoots } from "./query-condition.ts";
import { type QueryToken, queryInvalid, queryTokens } from "./query-tokens.ts";

const maxLength = 4_096;
/** The parser and the evaluation call themselves once per level. */
const maxDepth = 50;

const literals: ReadonlyMap<string, QueryValue> = new Map<string, QueryValue>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Parses a query. Throws `SHADOW_QUERY_INVALID` with the place. */
export function parseQuery(query: string): QueryCondition {
  if (query.length > maxLength)
    throw queryInvalid(query, maxLength, `a query has at most ${maxLength} characters`);
  const parser = new Parser(query);
  const condition = parser.alternatives(0);
  parser.end();
  return condition;
}

/** Each method parses one rule of the grammar, the loosest first: or, and, not, comparison. */
class Parser {
  readonly #query: string;
  readonly #tokens: readonly QueryToken[];
  #next = 0;

  constructor(query: string) {
    this.#query = query;
    this.#tokens = queryTokens(query);
  }

  alternatives(depth: number): QueryCondition {
    return this.#joined("or", () => this.#joined("and", () => this.#single(depth)));
  }

  end(): void {
    if (this.#token.kind !== "end") throw this.#unexpected("and, or or the end");
  }

  #joined(kind: "and" | "or", part: () => QueryCondition): QueryCondition {
    const first = part();
    const all = [first];
    while (this.#acceptWord(kind)) all.push(part());
    return all.length === 1 ? first : { kind, all };
  }

  #single(depth: number): QueryCondition {
    if (depth > maxDepth)
      throw queryInvalid(this.#query, this.#token.at, `at most ${maxDepth} levels of parentheses and not`);
    if (this.#acceptWord("not")) return { kind: "not", condition: this.#single(depth + 1) };
    if (!this.#acceptSymbol("(")) return this.#comparison();
    const condition = this.alternatives(depth + 1);
    if (!this.#acceptSymbol(")")) throw this.#unexpected("and, or or )");
    return condition;
  }

  #comparison(): QueryCondition {
    if (this.#acceptWord("group")) return this.#group();
    const path = this.#path();
    if (this.#acceptWord("exists")) return { kind: "exists", path };
    const operator = this.#token;
    const isCompared = operator.kind === "symbol" && /^[=!<>]/.test(operator.text);
    if (!isCompared && path.root === "connected")
      return { kind: "compare", path, operator: "=", value: true };
    if (!isCompared) throw this.#unexpected("=, !=, <, <=, >, >= or exists");
    this.#next++;
    return { kind: "compare", path, operator: operator.text as QueryOperator, value: this.#value(operator) };
  }

  #group(): QueryCondition {
    const operator = this.#token.text;
    if (operator !== "=" && operator !== "!=") throw this.#unexpected("= or !=");
    this.#next++;
    const { kind, at } = this.#token;
    const name = this.#value({ kind: "symbol", at, text: operator });
    if (kind !== "value" || typeof name !== "string")
      throw queryInvalid(this.#query, at, "a group is compared with its name, a string");
    const group: QueryCondition = { kind: "group", name };
    return operator === "=" ? group : { kind: "not", condition: group };
  }

  #path(): QueryPath {
    const token = this.#token;
    const path = token.kind === "word" ? token.keys : [];
    // Documents have the halves within their state: `state.desired.on` is `desired.on`.
    const isOfState = path[0] === "state" && /^(?:reported|desired|delta)$/.test(path[1] ?? "");
    const [first, ...keys] = isOfState ? path.slice(1) : path;
    const root = queryRoots.find((each) => each === first);
    if (root === undefined)
      throw this.#unexpected(`not, ( or a path that begins with ${queryRoots.join(", ")}, group`);
    if (keys.length > 0 && plainRoots.includes(root))
      throw queryInvalid(this.#query, token.at, `${root} has no keys`);
    this.#next++;
    return { root, keys };
  }

  #value(operator: QueryToken): QueryValue {
    const token = this.#token;
    const value =
      token.kind === "value"
        ? token.value
        : token.kind === "word"
          ? literals.get(token.text.toLowerCase())
          : undefined;
    if (value === undefined) throw this.#unexpected("a string, a number, true, false or null");
    if (/^[<>]/.test(operator.text) && (value === null || typeof value === "boolean"))
      throw queryInvalid(this.#query, token.at, `${operator.text} compares with a string or a number`);
    this.#next++;
    return value;
  }

  get #token(): QueryToken {
    return this.#tokens[this.#next] as QueryToken;
  }

  #acceptWord(keyword: string): boolean {
    const { kind, text } = this.#token;
    const accepted = kind === "word" && text.toLowerCase() === keyword;
    if (accepted) this.#next++;
    return accepted;
  }

  #acceptSymbol(symbol: string): boolean {
    const { kind, text } = this.#token;
    const accepted = kind === "symbol" && text === symbol;
    if (accepted) this.#next++;
    return accepted;
  }

  #unexpected(expected: string): Error {
    const { at, text } = this.#token;
    return queryInvalid(this.#query, at, `expected ${expected}, got ${text}`);
  }
}
