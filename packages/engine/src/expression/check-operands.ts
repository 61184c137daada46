import { compareValues } from "../values/compare-values.ts";
import { contentOf, type TypeTag, tagOf, type WireValue } from "../values/wire-value.ts";
import { sizeOf } from "./evaluate.ts";
import type { Condition, Operand, Path } from "./syntax-tree.ts";
import { ExpressionError } from "./tokens.ts";

const typeTags: ReadonlySet<string> = new Set(["S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"]);
const ordered: readonly TypeTag[] = ["S", "N", "B"];

/** Throws for errors in a condition that do not depend on the item. Returns the condition. */
export function checkOperands(condition: Condition): Condition {
  switch (condition.kind) {
    case "compare":
      checkDistinct(condition.comparator, condition.left, condition.right);
      if (condition.comparator !== "=" && condition.comparator !== "<>") {
        requireTypes(condition.comparator, ordered, condition.left, condition.right);
      }
      break;
    case "between":
      checkBetween(condition.operand, condition.low, condition.high);
      break;
    case "in":
      checkDistinct("IN", condition.operand, ...condition.list);
      break;
    case "attribute_type":
      checkDistinct("attribute_type", condition.operand, condition.type);
      checkTypeName(condition.type);
      break;
    case "begins_with":
      checkDistinct("begins_with", condition.operand, condition.prefix);
      requireTypes("begins_with", ["S", "B"], condition.operand, condition.prefix);
      break;
    case "contains":
      checkDistinct("contains", condition.operand, condition.sought);
      break;
    default:
      break;
  }
  return condition;
}

/** Returns the operand for the size of another; the size of a literal is computed at once. */
export function checkSize(operand: Operand): Operand {
  if (operand.kind === "path") return { kind: "size", path: operand.path };
  const size = operand.kind === "value" ? sizeOf(operand.value) : undefined;
  if (size !== undefined) return { kind: "value", value: size };
  const type = operand.kind === "value" ? tagOf(operand.value) : "N";
  throw wrongTypeError("size", type);
}

/** Returns the path of an operand that must be one. */
export function pathOnly(name: string, operand: Operand): Path {
  if (operand.kind === "path") return operand.path;
  throw new ExpressionError(`Operator or function requires a document path; operator or function: ${name}`);
}

/** An operand of a condition or of SET, as far as its kind and its path matter. */
type AnyOperand = { readonly kind: string; readonly path?: Path };

/** Rejects an operand that is compared with, or replaced by, itself. */
export function checkDistinct(operator: string, first: AnyOperand, ...others: readonly AnyOperand[]): void {
  if (first.kind !== "path" || first.path === undefined) return;
  const text = JSON.stringify(first.path);
  if (others.every((other) => other.kind !== "path" || JSON.stringify(other.path) !== text)) return;
  throw new ExpressionError(
    `The first operand must be distinct from the remaining operands for this operator or function; operator: ${operator}, first operand: ${formatPath(first.path)}`,
  );
}

function checkBetween(operand: Operand, low: Operand, high: Operand): void {
  requireTypes("BETWEEN", ordered, operand, low, high);
  checkDistinct("BETWEEN", operand, low, high);
  if (low.kind !== "value" || high.kind !== "value") return;
  if (tagOf(low.value) !== tagOf(high.value)) {
    throw new ExpressionError(
      `The BETWEEN operator requires same data type for lower and upper bounds; lower bound operand: AttributeValue: ${formatValue(low.value)}, upper bound operand: AttributeValue: ${formatValue(high.value)}`,
    );
  }
  if ((compareValues(low.value, high.value) ?? 0) > 0) {
    throw new ExpressionError(
      `The BETWEEN operator requires upper bound to be greater than or equal to lower bound; lower bound operand: AttributeValue: ${formatValue(low.value)}, upper bound operand: AttributeValue: ${formatValue(high.value)}`,
    );
  }
}

function checkTypeName(type: Operand): void {
  if (type.kind === "path") throw wrongTypeError("attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}");
  requireTypes("attribute_type", ["S"], type);
  if (type.kind !== "value" || !("S" in type.value) || typeTags.has(type.value.S)) return;
  throw new ExpressionError(
    `Invalid attribute type name found; type: ${type.value.S}, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}`,
  );
}

/** Rejects operands whose type is known and cannot match; the type at a path is only known with the item. */
function requireTypes(name: string, allowed: readonly TypeTag[], ...operands: readonly Operand[]): void {
  for (const operand of operands) {
    const type = operand.kind === "value" ? tagOf(operand.value) : operand.kind === "size" ? "N" : undefined;
    if (type !== undefined && !allowed.includes(type)) throw wrongTypeError(name, type);
  }
}

function wrongTypeError(name: string, type: string): ExpressionError {
  return new ExpressionError(
    `Incorrect operand type for operator or function; operator or function: ${name}, operand type: ${type}`,
  );
}

/** Formats a value in DynamoDB's notation. */
function formatValue(value: WireValue): string {
  return `{${tagOf(value)}:${String(contentOf(value))}}`;
}

/** Formats a path in DynamoDB's notation: `[a, b, [1]]`. */
export function formatPath(path: Path): string {
  return `[${path.map((part) => (typeof part === "number" ? `[${part}]` : part)).join(", ")}]`;
}

/** A function that is a complete condition. */
interface ConditionFunction {
  readonly operands: number;
  readonly condition: (operands: readonly Operand[]) => Condition;
}

/** The condition functions by name. */
export const conditionFunctions: { readonly [name: string]: ConditionFunction } = {
  attribute_exists: onePath("attribute_exists"),
  attribute_not_exists: onePath("attribute_not_exists"),
  attribute_type: {
    operands: 2,
    condition: ([first, type]) => ({
      kind: "attribute_type",
      operand: first as Operand,
      type: type as Operand,
    }),
  },
  begins_with: {
    operands: 2,
    condition: ([operand, prefix]) => ({
      kind: "begins_with",
      operand: operand as Operand,
      prefix: prefix as Operand,
    }),
  },
  contains: {
    operands: 2,
    condition: ([operand, sought]) => ({
      kind: "contains",
      operand: operand as Operand,
      sought: sought as Operand,
    }),
  },
};

function onePath(kind: "attribute_exists" | "attribute_not_exists"): ConditionFunction {
  return { operands: 1, condition: ([operand]) => ({ kind, path: pathOnly(kind, operand as Operand) }) };
}

/** Throws if a function has more or fewer operands than it accepts. */
export function checkOperandCount(name: string, actual: number, wanted: number): void {
  if (actual !== wanted) {
    throw new ExpressionError(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${actual}`,
    );
  }
}
