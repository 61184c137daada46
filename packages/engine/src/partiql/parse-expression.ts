import type { Comparator, Path, PathPart } from "../expression/syntax-tree.ts";
import { invalid } from "../values/dynamo-errors.ts";
import type { Expression } from "./statement.ts";
import {
  formatPosition,
  malformedStatement,
  type StatementReader,
  type TokenPosition,
} from "./statement-tokens.ts";

/** Parses an expression. From the loosest to the tightest: OR, AND, NOT, comparisons, `||`, `+ -`, `* / %`. */
export function parseExpression(reader: StatementReader): Expression {
  return reader.descend(() => parseLogical(reader, "or"));
}

function parseLogical(reader: StatementReader, kind: "and" | "or"): Expression {
  const parseLink = () => (kind === "or" ? parseLogical(reader, "and") : parseNot(reader));
  let left = parseLink();
  while (reader.isKeyword(kind.toUpperCase())) {
    const position = takeInfix(reader);
    left = { kind, left, right: parseLink(), position };
  }
  return left;
}

/** Reads an operator between two operands. */
function takeInfix(reader: StatementReader): TokenPosition {
  const { position } = reader.take();
  if (reader.next.kind === "end")
    throw malformedStatement("Missing right-hand side expression of infix operator");
  return position;
}

function parseNot(reader: StatementReader): Expression {
  if (!reader.isKeyword("NOT")) return parseComparison(reader);
  const position = reader.take().position;
  return { kind: "not", operand: reader.descend(() => parseNot(reader)), position };
}

const comparators: Readonly<Record<string, Comparator>> = {
  "=": "=",
  "<>": "<>",
  "!=": "<>",
  "<": "<",
  "<=": "<=",
  ">": ">",
  ">=": ">=",
};

function parseComparison(reader: StatementReader): Expression {
  const left = parseArithmetic(reader, 0);
  const { kind, text } = reader.next;
  if (kind === "symbol" && Object.hasOwn(comparators, text)) {
    const position = takeInfix(reader);
    const comparator = comparators[text] as Comparator;
    return { kind: "compare", comparator, left, right: parseArithmetic(reader, 0), position };
  }
  return kind === "keyword" ? parseWordComparison(reader, left) : left;
}

/** `[NOT] BETWEEN`, `[NOT] IN`, `[NOT] LIKE`, `IS [NOT]`. */
function parseWordComparison(reader: StatementReader, operand: Expression): Expression {
  const position = reader.next.position;
  if (reader.skipKeyword("IS")) {
    const negated = reader.skipKeyword("NOT");
    if (reader.next.kind !== "keyword") throw malformedStatement("Expected type name");
    return negate(negated, { kind: "is", operand, type: reader.take().text, position });
  }
  const negated = reader.isKeyword("NOT");
  if (negated) reader.take();
  if (reader.skipKeyword("BETWEEN")) {
    const low = parseArithmetic(reader, 0);
    reader.expectKeyword("AND");
    return negate(negated, { kind: "between", operand, low, high: parseArithmetic(reader, 0), position });
  }
  if (reader.skipKeyword("IN")) {
    return negate(negated, { kind: "in", operand, list: parseSequence(reader), position });
  }
  if (reader.skipKeyword("LIKE")) {
    const right = parseArithmetic(reader, 0);
    return negate(negated, { kind: "arithmetic", operator: "like", left: operand, right, position });
  }
  if (negated) throw reader.syntaxError();
  return operand;
}

/** Parses what follows IN, where `(a)` is a list as well. */
function parseSequence(reader: StatementReader): Expression {
  const { position } = reader.next;
  if (!reader.skipSymbol("(")) return parseArithmetic(reader, 0);
  return { kind: "list", elements: parseElements(reader, ")"), position };
}

function negate(negated: boolean, operand: Expression): Expression {
  return negated ? { kind: "not", operand, position: operand.position } : operand;
}

const levels: readonly (readonly string[])[] = [["||"], ["+", "-"], ["*", "/", "%"]];

function parseArithmetic(reader: StatementReader, level: number): Expression {
  const operators = levels[level];
  if (operators === undefined) return parseSigned(reader);
  let left = parseArithmetic(reader, level + 1);
  while (reader.next.kind === "symbol" && operators.includes(reader.next.text)) {
    const token = reader.take();
    const right = parseArithmetic(reader, level + 1);
    left = { kind: "arithmetic", operator: token.text, left, right, position: token.position };
  }
  return left;
}

function parseSigned(reader: StatementReader): Expression {
  if (!reader.isSymbol("-") && !reader.isSymbol("+")) return parseTerm(reader);
  const token = reader.take();
  const operand = reader.descend(() => parseSigned(reader));
  if (operand.kind !== "number") {
    return { kind: "arithmetic", operator: token.text, left: operand, position: token.position };
  }
  if (token.text === "+") return operand;
  return { ...operand, text: operand.text.startsWith("-") ? operand.text.slice(1) : `-${operand.text}` };
}

/** Parses a literal, a parameter, a path, a function call, or anything in brackets. */
function parseTerm(reader: StatementReader): Expression {
  const { next } = reader;
  const { position } = next;
  switch (next.kind) {
    case "text":
    case "number":
      reader.take();
      return { kind: next.kind, text: next.text, position };
    case "ion":
      reader.take();
      return { kind: "ion", position };
    case "parameter":
      reader.take();
      return { kind: "parameter", index: reader.parameters++, position };
    case "quoted":
      return { kind: "path", path: parseStatementPath(reader), position };
    case "word":
      if (reader.afterNext?.kind === "symbol" && reader.afterNext.text === "(") return parseCall(reader);
      return { kind: "path", path: parseStatementPath(reader), position };
    case "keyword":
      return parseKeywordTerm(reader);
    case "symbol":
      return parseBracket(reader);
    default:
      throw reader.termError();
  }
}

function parseKeywordTerm(reader: StatementReader): Expression {
  const position = reader.next.position;
  switch (reader.next.text) {
    case "TRUE":
    case "FALSE":
      return { kind: "boolean", value: reader.take().text === "TRUE", position };
    case "NULL":
      reader.take();
      return { kind: "null", position };
    case "MISSING":
      reader.take();
      return { kind: "missing", position };
    case "SIZE":
      return parseCall(reader);
    case "EXISTS":
      // Not a function, which is reported when the statement is bound.
      if (reader.afterNext?.text === "(") return parseCall(reader);
      throw reader.termError();
    default:
      throw reader.termError();
  }
}

function parseCall(reader: StatementReader): Expression {
  const name = reader.take();
  reader.expectSymbol("(");
  const operands = parseElements(reader, ")");
  return { kind: "call", name: name.text.toLowerCase(), operands, position: name.position };
}

function parseBracket(reader: StatementReader): Expression {
  const position = reader.next.position;
  if (reader.skipSymbol("[")) return { kind: "list", elements: parseElements(reader, "]"), position };
  if (reader.skipSymbol("<<")) return { kind: "bag", elements: parseElements(reader, ">>"), position };
  if (reader.skipSymbol("{")) return { kind: "struct", members: parseMembers(reader), position };
  if (!reader.skipSymbol("(")) throw reader.termError();
  if (reader.isSymbol(")")) throw reader.syntaxError();
  const [first, ...others] = parseElements(reader, ")") as [Expression, ...Expression[]];
  // `(a)` is a; `(a, b)` is the list of both.
  return others.length === 0 ? first : { kind: "list", elements: [first, ...others], position };
}

/** Parses expressions separated by commas, up to the closing bracket. */
function parseElements(reader: StatementReader, end: string): Expression[] {
  const elements: Expression[] = [];
  if (reader.skipSymbol(end)) return elements;
  do elements.push(parseExpression(reader));
  while (reader.skipSymbol(","));
  reader.expectSymbol(end);
  return elements;
}

function parseMembers(reader: StatementReader): [Expression, Expression][] {
  const members: [Expression, Expression][] = [];
  if (reader.skipSymbol("}")) return members;
  do {
    const name = parseExpression(reader);
    reader.expectSymbol(":");
    members.push([name, parseExpression(reader)]);
  } while (reader.skipSymbol(","));
  reader.expectSymbol("}");
  return members;
}

/** AWS: Limits — the depth of a document path. */
const maxPathDepth = 32;

/** Parses a document path: `a."b c"[1]['d']`. */
export function parseStatementPath(reader: StatementReader): Path {
  const path: [string, ...PathPart[]] = [parseName(reader)];
  for (;;) {
    if (reader.skipSymbol(".")) {
      if (reader.isSymbol("*")) throw invalid("Unpivot path component like a.*.b are not supported");
      if (reader.next.kind === "keyword") throw malformedStatement("Invalid path dot component");
      path.push(parseName(reader));
    } else if (reader.skipSymbol("[")) {
      path.push(parseStep(reader));
      reader.expectSymbol("]");
    } else {
      break;
    }
  }
  if (path.length > maxPathDepth) {
    throw invalid(`The document path has too many nesting levels; nesting levels: ${path.length}`);
  }
  return path;
}

/** Parses a name, plain or in double quotes. */
export function parseName(reader: StatementReader): string {
  const { kind, text } = reader.next;
  if (kind !== "word" && kind !== "quoted") throw reader.syntaxError();
  reader.take();
  return checkNotEmpty(text);
}

function parseStep(reader: StatementReader): PathPart {
  const { kind, text } = reader.next;
  if (kind === "text") {
    reader.take();
    return checkNotEmpty(text);
  }
  if (kind !== "number" || !/^[0-9]+$/.test(text)) {
    throw invalid(`Unexpected path component ${formatPosition(reader.next.position)}`);
  }
  reader.take();
  const index = Number(text);
  if (index > 2 ** 31 - 1) {
    throw invalid(`List index is not within the allowable range; index: [${text}]`);
  }
  return index;
}

function checkNotEmpty(name: string): string {
  if (name === "") throw invalid("Path component cannot be an empty string");
  return name;
}
