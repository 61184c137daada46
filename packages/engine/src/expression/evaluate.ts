import { compareValues, equalValues } from "../values/compare-values.ts";
import { bytesSize } from "../values/item-size.ts";
import { contentOf, getOwn, tagOf, type WireItem, type WireValue } from "../values/wire-value.ts";
import type { Comparator, Condition, Operand, Path } from "./syntax-tree.ts";

/** Whether a condition holds for an item; an absent item is an empty one. What is missing or of another type fails quietly. */
export function holds(condition: Condition, item: WireItem): boolean {
  switch (condition.kind) {
    case "and":
      return holds(condition.left, item) && holds(condition.right, item);
    case "or":
      return holds(condition.left, item) || holds(condition.right, item);
    case "not":
      return !holds(condition.condition, item);
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
  // What is missing differs from everything, also from something else that is missing.
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

/** What stands at a path, if anything does. */
export function valueAt(item: WireItem, path: Path): WireValue | undefined {
  let value = getOwn(item, path[0]);
  for (let at = 1; at < path.length && value !== undefined; at++) {
    const part = path[at] as string | number;
    if (typeof part === "number") value = "L" in value ? value.L[part] : undefined;
    else value = "M" in value ? getOwn(value.M, part) : undefined;
  }
  return value;
}

/** AWS: size — characters of text, bytes of binary, elements of the rest; scalars have no size. */
export function sizeOf(value: WireValue): WireValue | undefined {
  const content = contentOf(value);
  switch (tagOf(value)) {
    case "S":
      return { N: String((content as string).length) };
    case "B":
      return { N: String(bytesSize(content as string)) };
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
