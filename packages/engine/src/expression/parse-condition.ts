import { checkOperands, checkSize } from "./check-operands.ts";
import { checkOperandCount, conditionFunctions } from "./condition-functions.ts";
import { parsePath, startsPath } from "./parse-path.ts";
import type { Comparator, Condition, Operand } from "./syntax-tree.ts";
import { cached, type Template } from "./template.ts";
import { ExpressionFault, TokenReader } from "./token-reader.ts";

// AWS: Limits — expression parameters.
const maxOperators = 300;
const maxInOperands = 100;

/** Parses a condition, filter or key condition. */
export const parseCondition: (expression: string) => Template<Condition> = cached((expression) => {
  const reader = new TokenReader(expression);
  const { template } = parseOr(reader);
  reader.expectEnd();
  if (reader.operators > maxOperators) {
    throw new ExpressionFault(
      `The expression contains too many operators; operator count: ${reader.operators}`,
    );
  }
  return template;
});

interface Parsed {
  readonly template: Template<Condition>;
  /** Stands in parentheses of its own. */
  readonly wrapped: boolean;
}

function parseOr(reader: TokenReader): Parsed {
  return parseChain(reader, "OR", "or", parseAnd);
}

function parseAnd(reader: TokenReader): Parsed {
  return parseChain(reader, "AND", "and", parseNot);
}

function parseChain(
  reader: TokenReader,
  keyword: string,
  kind: "and" | "or",
  parseLink: (reader: TokenReader) => Parsed,
): Parsed {
  let parsed = parseLink(reader);
  while (reader.skipKeyword(keyword)) {
    reader.operators++;
    const left = parsed.template;
    const right = parseLink(reader).template;
    parsed = {
      wrapped: false,
      template: (binding) => ({ kind, left: left(binding), right: right(binding) }),
    };
  }
  return parsed;
}

function parseNot(reader: TokenReader): Parsed {
  if (!reader.skipKeyword("NOT")) return parsePrimary(reader);
  reader.operators++;
  const { template } = parseNot(reader);
  return { wrapped: false, template: (binding) => ({ kind: "not", condition: template(binding) }) };
}

function parsePrimary(reader: TokenReader): Parsed {
  if (reader.skipSymbol("(")) {
    const inner = parseOr(reader);
    reader.expectSymbol(")");
    if (inner.wrapped) throw new ExpressionFault("The expression has redundant parentheses;");
    return { template: inner.template, wrapped: true };
  }
  const template =
    isFunctionCall(reader) && !isSize(reader) ? parseFunction(reader) : parseComparison(reader);
  return { template, wrapped: false };
}

function isFunctionCall(reader: TokenReader): boolean {
  return reader.next.kind === "word" && reader.afterNext?.kind === "symbol" && reader.afterNext.text === "(";
}

function isSize(reader: TokenReader): boolean {
  return reader.next.text === "size";
}

const comparators: ReadonlySet<string> = new Set<Comparator>(["=", "<>", "<", "<=", ">", ">="]);

function parseComparison(reader: TokenReader): Template<Condition> {
  const startsWithSize = isFunctionCall(reader);
  const operand = parseOperand(reader);
  if (reader.skipKeyword("BETWEEN")) return parseBetween(reader, operand);
  if (reader.skipKeyword("IN")) return parseIn(reader, operand);
  const { kind, text } = reader.next;
  if (kind !== "symbol" || !comparators.has(text)) {
    if (startsWithSize) throw misused("size");
    throw reader.syntaxError();
  }
  reader.take();
  reader.operators++;
  const comparator = text as Comparator;
  const right = parseOperand(reader);
  return (binding) =>
    checkOperands({ kind: "compare", comparator, left: operand(binding), right: right(binding) });
}

function parseBetween(reader: TokenReader, operand: Template<Operand>): Template<Condition> {
  reader.operators++;
  const low = parseOperand(reader);
  reader.expectKeyword("AND");
  const high = parseOperand(reader);
  return (binding) =>
    checkOperands({ kind: "between", operand: operand(binding), low: low(binding), high: high(binding) });
}

function parseIn(reader: TokenReader, operand: Template<Operand>): Template<Condition> {
  reader.operators++;
  reader.expectSymbol("(");
  const list = [parseOperand(reader)];
  while (reader.skipSymbol(",")) list.push(parseOperand(reader));
  reader.expectSymbol(")");
  if (list.length > maxInOperands) {
    throw new ExpressionFault(
      `The IN operator is provided with too many operands; number of operands: ${list.length}`,
    );
  }
  return (binding) => ({
    kind: "in",
    operand: operand(binding),
    list: list.map((element) => element(binding)),
  });
}

function parseOperand(reader: TokenReader): Template<Operand> {
  if (reader.next.kind === "value") {
    const { text } = reader.take();
    return (binding) => ({ kind: "value", value: binding.value(text) });
  }
  if (isFunctionCall(reader)) return parseSize(reader);
  if (!startsPath(reader)) throw reader.syntaxError();
  const path = parsePath(reader);
  return (binding) => ({ kind: "path", path: path(binding) });
}

function parseSize(reader: TokenReader): Template<Operand> {
  const name = reader.take().text;
  const operands = parseArguments(reader);
  reader.operators++;
  if (name !== "size") {
    throw new ExpressionFault(
      !Object.hasOwn(conditionFunctions, name)
        ? `Invalid function name; function: ${name}`
        : misused(name).message,
    );
  }
  checkOperandCount(name, operands.length, 1);
  return (binding) => checkSize((operands[0] as Template<Operand>)(binding));
}

function parseFunction(reader: TokenReader): Template<Condition> {
  const name = reader.take().text;
  const operands = parseArguments(reader);
  reader.operators++;
  const build = Object.hasOwn(conditionFunctions, name) ? conditionFunctions[name] : undefined;
  if (build === undefined) {
    throw new ExpressionFault(
      name === "if_not_exists" || name === "list_append"
        ? `The function is not allowed in a condition expression; function: ${name}`
        : `Invalid function name; function: ${name}`,
    );
  }
  checkOperandCount(name, operands.length, build.operands);
  return (binding) => checkOperands(build.condition(operands.map((operand) => operand(binding))));
}

function misused(name: string): ExpressionFault {
  return new ExpressionFault(
    `The function is not allowed to be used this way in an expression; function: ${name}`,
  );
}

function parseArguments(reader: TokenReader): Template<Operand>[] {
  reader.expectSymbol("(");
  const operands = [parseOperand(reader)];
  while (reader.skipSymbol(",")) operands.push(parseOperand(reader));
  reader.expectSymbol(")");
  return operands;
}
