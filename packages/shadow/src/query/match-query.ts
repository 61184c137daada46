import { type DocumentValue, isList, isObject, valueAt } from "../document/document-value.ts";
import { compareExact, ExactNumber } from "../document/exact-number.ts";
import type { QueryCondition, QueryOperator, QueryPath, QueryValue } from "./query-condition.ts";

/** Returns the value of a root of a query, such as `reported`; undefined if there is none. */
export type Queried = (root: QueryPath["root"]) => DocumentValue | undefined;

/** Whether a query matches. Without `isInGroup`, the subject is in no group. */
export function matchesQuery(
  condition: QueryCondition,
  queried: Queried,
  isInGroup: (group: string) => boolean = () => false,
): boolean {
  switch (condition.kind) {
    case "and":
      return condition.all.every((each) => matchesQuery(each, queried, isInGroup));
    case "or":
      return condition.all.some((each) => matchesQuery(each, queried, isInGroup));
    case "not":
      return !matchesQuery(condition.condition, queried, isInGroup);
    case "group":
      return isInGroup(condition.name);
    case "exists":
      return find(condition.path, queried) !== undefined;
    case "compare":
      return compares(find(condition.path, queried), condition.operator, condition.value);
  }
}

function find({ root, keys }: QueryPath, queried: Queried): DocumentValue | undefined {
  let value = queried(root);
  for (const key of keys) {
    if (isObject(value)) value = valueAt(value, key);
    else if (isList(value) && /^(?:0|[1-9]\d*)$/.test(key)) value = value[Number(key)];
    else return undefined;
  }
  return value;
}

function compares(found: DocumentValue | undefined, operator: QueryOperator, value: QueryValue): boolean {
  if (operator === "=") return isEqual(found, value);
  if (operator === "!=") return !isEqual(found, value);
  const order = orderOf(found, value);
  if (order === undefined) return false;
  if (order === 0) return operator === "<=" || operator === ">=";
  return order < 0 ? operator.startsWith("<") : operator.startsWith(">");
}

/** A value that is missing equals null: an update to null removes a key. */
function isEqual(found: DocumentValue | undefined, value: QueryValue): boolean {
  if (isNumber(found) && isNumber(value)) return compareExact(String(found), String(value)) === 0;
  return (found ?? null) === value;
}

/** Negative if `found` is lower; undefined for values of different types, and of types without an order. */
function orderOf(found: DocumentValue | undefined, value: QueryValue): number | undefined {
  if (isNumber(found) && isNumber(value)) return compareExact(String(found), String(value));
  if (typeof found === "string" && typeof value === "string") return orderOfStrings(found, value);
  return undefined;
}

function isNumber(value: DocumentValue | undefined): value is number | bigint | ExactNumber {
  return typeof value === "number" || typeof value === "bigint" || value instanceof ExactNumber;
}

const dotted = /^\d+(?:\.\d+)*$/;

/** Dotted numbers are compared part by part, so that 2.9 is lower than 2.10; other strings by their characters. */
function orderOfStrings(one: string, other: string): number {
  const plain = one < other ? -1 : Number(one > other);
  if (!dotted.test(one) || !dotted.test(other)) return plain;
  const [parts, others] = [one.split("."), other.split(".")];
  for (const [at, part] of parts.entries()) {
    const against = others[at];
    if (against === undefined) return 1;
    const order = compareExact(part, against);
    if (order !== 0) return order;
  }
  // Only identical strings are equal: 2.01 and 2.1 are not.
  return parts.length < others.length ? -1 : plain;
}
