import type { Comparator } from "../expression/syntax-tree.ts";
import type { Expression } from "./expression-tree.ts";
import { parseElements, parseTerm } from "./parse-term.ts";
import type { StatementReader } from "./statement-reader.ts";

/** Reads an expression. From the loosest to the tightest: OR, AND, NOT, comparisons, `||`, `+ -`, `* / %`. */
export function parseExpression(reader: StatementReader): Expression {
  return reader.descend(() => parseLogical(reader, "or"));
}

function parseLogical(reader: StatementReader, kind: "and" | "or"): Expression {
  const parseLink = () => (kind === "or" ? parseLogical(reader, "and") : parseNot(reader));
  let left = parseLink();
  while (reader.isKeyword(kind.toUpperCase())) {
    const position = reader.take().position;
    left = { kind, left, right: parseLink(), position };
  }
  return left;
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
    const position = reader.take().position;
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
    if (reader.next.kind !== "keyword") throw reader.unexpected();
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
  if (negated) throw reader.unexpected();
  return operand;
}

/** What follows IN. There `(a)` is a list too. */
function parseSequence(reader: StatementReader): Expression {
  const { position } = reader.next;
  if (!reader.skipSymbol("(")) return parseArithmetic(reader, 0);
  return { kind: "list", elements: parseElements(reader, parseExpression, ")"), position };
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
  if (!reader.isSymbol("-") && !reader.isSymbol("+")) return parseTerm(reader, parseExpression);
  const token = reader.take();
  const operand = reader.descend(() => parseSigned(reader));
  if (operand.kind !== "number") {
    return { kind: "arithmetic", operator: token.text, left: operand, position: token.position };
  }
  if (token.text === "+") return operand;
  return { ...operand, text: operand.text.startsWith("-") ? operand.text.slice(1) : `-${operand.text}` };
}
