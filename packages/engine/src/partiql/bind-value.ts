import { normalizeNumber } from "@tablekeep/core";
import { ExpressionError } from "../expression/tokens.ts";
import { checkValue } from "../values/check-item.ts";
import { numberMessage } from "../values/check-number.ts";
import { invalid } from "../values/dynamo-errors.ts";
import { setOwn, tagOf, type WireValue } from "../values/wire-value.ts";
import type { Expression } from "./statement.ts";
import { formatPosition } from "./statement-tokens.ts";

/** The parameters of a statement, checked. */
export type Parameters = readonly WireValue[];

/** Returns the value of an expression; undefined if it depends on an item. */
export function bindValue(expression: Expression, parameters: Parameters): WireValue | undefined {
  if (expression.kind === "parameter") return parameters[expression.index] as WireValue;
  if (expression.kind === "missing") throw invalid("MISSING must be compared using IS operator");
  const literal = literalOf(expression);
  return literal === undefined ? undefined : checkValue(literal);
}

/** Returns the item of an INSERT: a struct, in which parameters may be whole attributes. */
export function bindItem(expression: Expression, parameters: Parameters): Record<string, WireValue> {
  if (expression.kind !== "struct") {
    throw invalid(
      "Unsupported format in item expression. Please use struct format {...} to express item values for insert " +
        `statement. ${formatPosition(expression.position)}`,
    );
  }
  return namedMembers(expression.members, (member) =>
    member.kind === "parameter"
      ? (parameters[member.index] as WireValue)
      : (nestedLiteral(member, "root") as WireValue),
  );
}

/**
 * Returns a literal in the form of values from outside, of which only numbers are checked. `place` is where it is in its
 * attribute, in DynamoDB's notation.
 */
function literalOf(expression: Expression, place = "root"): unknown {
  switch (expression.kind) {
    case "text":
      return { S: expression.text };
    case "number":
      return { N: numberLiteral(expression.text, place) };
    case "boolean":
      return { BOOL: expression.value };
    case "null":
      return { NULL: true };
    case "list":
      return { L: expression.elements.map((element, at) => nestedLiteral(element, `${place}[${at}]`)) };
    case "struct":
      return {
        M: namedMembers(expression.members, (member, name) => nestedLiteral(member, `${place}.${name}`)),
      };
    case "bag":
      return bagOf(expression.elements);
    case "ion":
      throw invalid(`Ion Literals are not supported ${formatPosition(expression.position)}`);
    default:
      return undefined;
  }
}

function numberLiteral(text: string, place: string): string {
  const number = normalizeNumber(text);
  if ("text" in number) return number.text;
  throw invalid(`${numberMessage(number.fault, text)} under ${place}`);
}

/** Returns a literal inside another. */
function nestedLiteral(expression: Expression, place: string): unknown {
  const literal = literalOf(expression, place);
  if (literal !== undefined) return literal;
  const type = expression.kind === "missing" ? "MISSING" : formatKind(expression);
  throw invalid(`Unsupported data type: ${type} under key ${place} ${formatPosition(expression.position)}`);
}

function formatKind(expression: Expression): string {
  if (expression.kind === "parameter") return "Parameter";
  if (expression.kind === "call") return expression.name;
  return expression.kind === "path" ? "VariableReference" : expression.kind;
}

function namedMembers<Value>(
  members: readonly (readonly [Expression, Expression])[],
  read: (member: Expression, name: string) => Value,
): Record<string, Value> {
  const named: Record<string, Value> = {};
  for (const [name, member] of members) {
    if (name.kind !== "text") {
      throw invalid(
        `Tuple keys must be of type String. Actual type: ${formatKind(name)} ${formatPosition(name.position)}`,
      );
    }
    if (name.text === "") throw invalid("Path component cannot be an empty string");
    if (Object.hasOwn(named, name.text)) {
      throw invalid(`Duplicate keys in tuple. Key: ${name.text} ${formatPosition(name.position)}`);
    }
    setOwn(named, name.text, read(member, name.text));
  }
  return named;
}

function bagOf(elements: readonly Expression[]): unknown {
  const [first] = elements;
  if (first === undefined) throw invalid("Empty bags are not supported");
  const kind = first.kind;
  if ((kind !== "text" && kind !== "number") || elements.some((element) => element.kind !== kind)) {
    throw invalid("Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags");
  }
  const texts = elements.map((element) => (element as { text: string }).text);
  return kind === "text" ? { SS: texts } : { NS: texts };
}

/** Returns whether a value is a set. */
export function isSet(value: WireValue): boolean {
  return ["SS", "NS", "BS"].includes(tagOf(value));
}

/** Runs a check of expressions. In statements DynamoDB reports their errors without naming a parameter. */
export function asStatementErrors<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw error instanceof ExpressionError ? invalid(error.message) : error;
  }
}

/** AWS: Limits — operators and functions in one expression. */
const maxOperators = 300;

/** Counts operators while descending, so that an expression with too many of them is not visited further. */
export class OperatorCount {
  #count = 0;

  add(): void {
    if (++this.#count > maxOperators) {
      throw invalid(`The expression contains too many operators; operator count: ${this.#count}`);
    }
  }
}
