import { memoize, type Template } from "./binding.ts";
import { checkOperandCount, checkOperands, checkSize, conditionFunctions } from "./check-operands.ts";
import { parsePath, startsPath } from "./parse-path.ts";
import type { Comparator, Condition, Operand } from "./syntax-tree.ts";
import { ExpressionError, redundantParentheses, TokenReader } from "./tokens.ts";

// AWS: Limits — expression parameters.
const maxOperators = 300;
const maxInOperands = 100;

/** Parses a condition, filter or key condition. */
export const parseCondition: (expression: string) => Template<Condition> = memoize((expression) => {
  const reader = new TokenReader(expression);
  if (reader.deepestNesting > maxOperators + 1) throw tooDeep(reader);
  const template = asCondition(reader, parseOr(reader));
  reader.expectEnd();
  reader.throwNotedError();
  if (reader.operators > maxOperators) throw tooManyOperators();
  return template;
});

/** DynamoDB stops counting here. */
function tooManyOperators(): ExpressionError {
  return new ExpressionError(
    `The expression contains too many operators; operator count: ${maxOperators + 1}`,
  );
}

/**
 * The error for an expression with more nested parentheses than it may have operators. It is not parsed, because the
 * parser would run out of stack. Each pair needs a separate operator; so either a pair is redundant, or there are
 * too many operators, or parentheses are not closed.
 */
function tooDeep(reader: TokenReader): ExpressionError {
  if (reader.hasRedundantParentheses()) return redundantParentheses();
  return reader.isBalanced ? tooManyOperators() : reader.syntaxErrorAtEnd();
}

/** The content of parentheses: until the token after them is read, it can be a condition or an operand of one. */
type Unit = (
  | { readonly kind: "condition"; readonly template: Template<Condition> }
  | { readonly kind: "operand"; readonly template: Template<Operand> }
) & {
  /** It is in parentheses. */
  readonly wrapped: boolean;
  /** The function called, and its position. */
  readonly call?: { readonly name: string; readonly start: number };
};

function parseOr(reader: TokenReader): Unit {
  return parseChain(reader, "OR", "or", parseAnd);
}

function parseAnd(reader: TokenReader): Unit {
  return parseChain(reader, "AND", "and", parseNot);
}

function parseChain(
  reader: TokenReader,
  keyword: string,
  kind: "and" | "or",
  parseLink: (reader: TokenReader) => Unit,
): Unit {
  let unit = parseLink(reader);
  while (reader.isKeyword(keyword)) {
    const left = asCondition(reader, unit);
    reader.take();
    reader.operators++;
    const right = asCondition(reader, parseLink(reader));
    const template: Template<Condition> = (binding) => ({
      kind,
      left: left(binding),
      right: right(binding),
    });
    unit = { kind: "condition", template, wrapped: false };
  }
  return unit;
}

function parseNot(reader: TokenReader): Unit {
  if (!reader.skipKeyword("NOT")) return parseComparison(reader);
  reader.operators++;
  const condition = asCondition(reader, parseNot(reader));
  const template: Template<Condition> = (binding) => ({ kind: "not", condition: condition(binding) });
  return { kind: "condition", template, wrapped: false };
}

const comparators: ReadonlySet<string> = new Set<Comparator>(["=", "<>", "<", "<=", ">", ">="]);

function parseComparison(reader: TokenReader): Unit {
  const unit = parseUnit(reader);
  // `(a = b) = c`: a condition cannot be compared, so the token after it is a syntax error.
  if (unit.kind === "condition" && unit.call === undefined) return unit;
  const condition = (template: Template<Condition>): Unit => ({
    kind: "condition",
    template,
    wrapped: false,
  });
  if (reader.skipKeyword("BETWEEN")) return condition(parseBetween(reader, asOperand(reader, unit)));
  if (reader.skipKeyword("IN")) return condition(parseIn(reader, asOperand(reader, unit)));
  const { kind, text } = reader.next;
  if (kind !== "symbol" || !comparators.has(text)) return unit;
  const left = asOperand(reader, unit);
  reader.take();
  reader.operators++;
  const right = parseOperand(reader);
  const comparator = text as Comparator;
  return condition((binding) =>
    checkOperands({ kind: "compare", comparator, left: left(binding), right: right(binding) }),
  );
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
  const list = parseOperands(reader);
  if (list.length > maxInOperands) {
    throw new ExpressionError(
      `The IN operator is provided with too many operands; number of operands: ${list.length}`,
    );
  }
  return (binding) =>
    checkOperands({ kind: "in", operand: operand(binding), list: list.map((element) => element(binding)) });
}

function parseUnit(reader: TokenReader): Unit {
  if (reader.skipSymbol("(")) {
    const inner = parseOr(reader);
    reader.closeParenthesis(inner.wrapped);
    return { ...inner, wrapped: true };
  }
  if (reader.isCall()) return parseCall(reader);
  return { kind: "operand", template: parsePlainOperand(reader), wrapped: false };
}

/** Parses an operand where no condition is allowed; it may be in parentheses. */
function parseOperand(reader: TokenReader): Template<Operand> {
  if (reader.skipSymbol("(")) {
    const wrapped = reader.isSymbol("(");
    const inner = parseOperand(reader);
    reader.closeParenthesis(wrapped);
    return inner;
  }
  return reader.isCall() ? asOperand(reader, parseCall(reader)) : parsePlainOperand(reader);
}

function parsePlainOperand(reader: TokenReader): Template<Operand> {
  if (reader.next.kind === "value") {
    const { text } = reader.take();
    return (binding) => ({ kind: "value", value: binding.value(text) });
  }
  if (!startsPath(reader)) throw reader.syntaxError();
  const path = parsePath(reader);
  return (binding) => ({ kind: "path", path: path(binding) });
}

function parseOperands(reader: TokenReader): Template<Operand>[] {
  reader.expectSymbol("(");
  const operands = [parseOperand(reader)];
  while (reader.skipSymbol(",")) operands.push(parseOperand(reader));
  reader.expectSymbol(")");
  return operands;
}

function parseCall(reader: TokenReader): Unit {
  const { text: name, start } = reader.take();
  const operands = parseOperands(reader);
  reader.operators++;
  const unit = { wrapped: false, call: { name, start } };
  if (name === "size") {
    const template: Template<Operand> = (binding) => {
      const bound = operands.map((operand) => operand(binding));
      checkOperandCount(name, bound.length, 1);
      return checkSize(bound[0] as Operand);
    };
    return { ...unit, kind: "operand", template };
  }
  const build = Object.hasOwn(conditionFunctions, name) ? conditionFunctions[name] : undefined;
  if (build === undefined) reader.noteError(start, unknownFunction(name));
  const template: Template<Condition> = (binding) => {
    const bound = operands.map((operand) => operand(binding));
    checkOperandCount(name, bound.length, build?.operands ?? 0);
    return checkOperands((build as NonNullable<typeof build>).condition(bound));
  };
  return { ...unit, kind: "condition", template };
}

function unknownFunction(name: string): string {
  return name === "if_not_exists" || name === "list_append"
    ? `The function is not allowed in a condition expression; function: ${name}`
    : `Invalid function name; function: ${name}`;
}

function asCondition(reader: TokenReader, unit: Unit): Template<Condition> {
  if (unit.kind === "condition") return unit.template;
  if (unit.call === undefined) throw reader.syntaxError();
  return noteMisuse(reader, unit.call);
}

function asOperand(reader: TokenReader, unit: Unit): Template<Operand> {
  if (unit.kind === "operand") return unit.template;
  if (unit.call === undefined) throw reader.syntaxError();
  return noteMisuse(reader, unit.call);
}

/** Returns a template in place of the misused function's. It is never bound. */
function noteMisuse(reader: TokenReader, { name, start }: NonNullable<Unit["call"]>): Template<never> {
  const fault = `The function is not allowed to be used this way in an expression; function: ${name}`;
  reader.noteError(start, fault);
  return () => {
    throw new ExpressionError(fault);
  };
}
