import { contentOf, type TypeTag, tagOf, type WireValue } from "../item/wire-value.ts";
import { compareValues } from "./compare-values.ts";
import { sizeOf } from "./size-of.ts";
import type { Comparator, Condition, Operand, Path } from "./syntax-tree.ts";
import { ExpressionFault } from "./token-reader.ts";

const typeTags: ReadonlySet<string> = new Set(["S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"]);
const ordered: ReadonlySet<TypeTag> = new Set(["S", "N", "B"]);

/** What can be seen to be wrong with a condition before any item is looked at. Gives the condition back. */
export function checkOperands(condition: Condition): Condition {
  switch (condition.kind) {
    case "compare":
      checkComparison(condition.comparator, condition.left, condition.right);
      break;
    case "between":
      checkBetween(condition.operand, condition.low, condition.high);
      break;
    case "attribute_type":
      checkTypeName(condition.type);
      break;
    case "begins_with":
      requireTypes("begins_with", ["S", "B"], condition.operand, condition.prefix);
      break;
    default:
      break;
  }
  return condition;
}

/** The size of what an operand stands for; of a value it is known at once. */
export function checkSize(operand: Operand): Operand {
  if (operand.kind === "path") return { kind: "size", path: operand.path };
  const size = operand.kind === "value" ? sizeOf(operand.value) : undefined;
  if (size !== undefined) return { kind: "value", value: size };
  const type = operand.kind === "value" ? tagOf(operand.value) : "N";
  throw new ExpressionFault(
    `Incorrect operand type for operator or function; operator or function: size, operand type: ${type}`,
  );
}

/** The path of an operand that must be one. */
export function pathOnly(name: string, operand: Operand): Path {
  if (operand.kind === "path") return operand.path;
  throw new ExpressionFault(`Operator or function requires a document path; operator or function: ${name}`);
}

function checkComparison(comparator: Comparator, left: Operand, right: Operand): void {
  if (comparator === "=" || comparator === "<>") {
    checkDistinctOperands(comparator, left, right);
    return;
  }
  requireTypes(comparator, [...ordered], left, right);
  checkDistinctOperands(comparator, left, right);
}

function checkDistinctOperands(comparator: Comparator, left: Operand, right: Operand): void {
  if (
    left.kind === "path" &&
    right.kind === "path" &&
    JSON.stringify(left.path) === JSON.stringify(right.path)
  ) {
    throw new ExpressionFault(
      `The first operand must be distinct from the remaining operands for this operator or function; operator: ${comparator}, first operand: ${shownPath(left.path)}`,
    );
  }
}

function checkBetween(operand: Operand, low: Operand, high: Operand): void {
  requireTypes("BETWEEN", [...ordered], operand, low, high);
  if (low.kind !== "value" || high.kind !== "value") return;
  if (tagOf(low.value) !== tagOf(high.value)) {
    throw new ExpressionFault(
      `The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: ${shownValue(low.value)}, upper bound operand: AttributeValue: ${shownValue(high.value)}`,
    );
  }
  if ((compareValues(low.value, high.value) ?? 0) > 0) {
    throw new ExpressionFault(
      `The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: ${shownValue(low.value)}, upper bound operand: AttributeValue: ${shownValue(high.value)}`,
    );
  }
}

function checkTypeName(type: Operand): void {
  requireTypes("attribute_type", ["S"], type);
  if (type.kind !== "value" || !("S" in type.value) || typeTags.has(type.value.S)) return;
  throw new ExpressionFault(
    `Invalid attribute type name found; type: ${type.value.S}, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}`,
  );
}

function requireTypes(name: string, allowed: readonly TypeTag[], ...operands: readonly Operand[]): void {
  for (const operand of operands) {
    if (operand.kind !== "value" || allowed.includes(tagOf(operand.value))) continue;
    throw new ExpressionFault(
      `Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${tagOf(operand.value)}`,
    );
  }
}

/** A value in DynamoDB's own notation. */
function shownValue(value: WireValue): string {
  return `{${tagOf(value)}:${String(contentOf(value))}}`;
}

/** A path in DynamoDB's own notation: `[a, b, [1]]`. */
export function shownPath(path: Path): string {
  return `[${path.map((part) => (typeof part === "number" ? `[${part}]` : part)).join(", ")}]`;
}
