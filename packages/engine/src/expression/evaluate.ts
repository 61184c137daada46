import { base64Size } from "@tablekeep/core";
import { compareValues, equalValues } from "../values/compare-values.ts";
import { contentOf, getOwn, tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";
import type { Comparator, Condition, Operand, Path } from "./syntax-tree.ts";

/**
 * Returns whether an item satisfies a condition; an absent item is an empty one. A missing value, or one of another
 * type, fails without an error.
 */
export function evaluate(condition: Condition, item: WireItem): boolean {
  switch (condition.kind) {
    case "and":
      return evaluate(condition.left, item) && evaluate(condition.right, item);
    case "or":
      return evaluate(condition.left, item) || evaluate(condition.right, item);
    case "not":
      return !evaluate(condition.condition, item);
    case "attribute_exists":
      return valueAt(item, condition.path) !== undefined;
    case "attribute_not_exists":
      return valueAt(item, condition.path) === undefined;
    case "attribute_type":
      return hasType(operandValue(condition.operand, item), operandValue(condition.type, item));
    case "compare":
      return compares(
        condition.comparator,
        operandValue(condition.left, item),
        operandValue(condition.right, item),
      );
    case "between": {
      const value = operandValue(condition.operand, item);
      return (
        compares(">=", value, operandValue(condition.low, item)) &&
        compares("<=", value, operandValue(condition.high, item))
      );
    }
    case "in": {
      const value = operandValue(condition.operand, item);
      return condition.list.some((element) => compares("=", value, operandValue(element, item)));
    }
    case "begins_with":
      return beginsWith(operandValue(condition.operand, item), operandValue(condition.prefix, item));
    case "contains":
      return contains(operandValue(condition.operand, item), operandValue(condition.sought, item));
  }
}

function operandValue(operand: Operand, item: WireItem): WireValue | undefined {
  if (operand.kind === "value") return operand.value;
  const value = valueAt(item, operand.path);
  return operand.kind === "path" || value === undefined ? value : sizeOf(value);
}

function compares(
  comparator: Comparator,
  left: WireValue | undefined,
  right: WireValue | undefined,
): boolean {
  // A missing value differs from everything, even from another missing value.
  if (left === undefined || right === undefined) return comparator === "<>";
  if (comparator === "=") return equalValues(left, right);
  if (comparator === "<>") return !equalValues(left, right);
  const order = compareValues(left, right);
  if (order === undefined) return false;
  switch (comparator) {
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}

function hasType(value: WireValue | undefined, type: WireValue | undefined): boolean {
  return value !== undefined && type !== undefined && "S" in type && tagOf(value) === type.S;
}

function beginsWith(value: WireValue | undefined, prefix: WireValue | undefined): boolean {
  if (value === undefined || prefix === undefined) return false;
  if ("S" in value && "S" in prefix) return value.S.startsWith(prefix.S);
  if ("B" in value && "B" in prefix) return bytesOf(value.B).startsWith(bytesOf(prefix.B));
  return false;
}

function contains(value: WireValue | undefined, sought: WireValue | undefined): boolean {
  if (value === undefined || sought === undefined) return false;
  if ("S" in value) return "S" in sought && value.S.includes(sought.S);
  if ("B" in value) return "B" in sought && bytesOf(value.B).includes(bytesOf(sought.B));
  if ("SS" in value) return "S" in sought && value.SS.includes(sought.S);
  if ("NS" in value) return "N" in sought && value.NS.includes(sought.N);
  if ("BS" in value) return "B" in sought && value.BS.includes(sought.B);
  if ("L" in value) return value.L.some((element) => equalValues(element, sought));
  return false;
}

function bytesOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("latin1");
}

/** Returns the value at a path, if there is one. */
export function valueAt(item: WireItem, path: Path): WireValue | undefined {
  let value = getOwn(item, path[0]);
  for (let at = 1; at < path.length && value !== undefined; at++) {
    const part = path[at] as string | number;
    if (typeof part === "number") value = "L" in value ? value.L[part] : undefined;
    else value = "M" in value ? getOwn(value.M, part) : undefined;
  }
  return value;
}

/** AWS: size — characters of a string, bytes of a binary, elements of everything else; scalars have no size. */
export function sizeOf(value: WireValue): WireValue | undefined {
  const content = contentOf(value);
  switch (tagOf(value)) {
    case "S":
      return { N: String((content as string).length) };
    case "B":
      return { N: String(base64Size(content as string)) };
    case "M":
      return { N: String(Object.keys(content as object).length) };
    case "SS":
    case "NS":
    case "BS":
    case "L":
      return { N: String((content as readonly unknown[]).length) };
    default:
      return undefined;
  }
}
