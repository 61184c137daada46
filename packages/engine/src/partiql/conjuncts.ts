import type { Comparator, Condition } from "../expression/syntax-tree.ts";
import type { WireValue } from "../item/wire-value.ts";

/** The conditions that must all hold for a condition to hold. */
export function conjunctsOf(condition: Condition | undefined): Condition[] {
  const found: Condition[] = [];
  const open: Condition[] = condition === undefined ? [] : [condition];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === "and") open.push(next.right, next.left);
    else found.push(next);
  }
  return found;
}

/** One condition that holds when all of these do; undefined for none. */
export function allOf(conditions: readonly Condition[]): Condition | undefined {
  const [first, ...others] = conditions;
  return first && others.reduce((left, right) => ({ kind: "and", left, right }), first);
}

/** A comparison of an attribute with a value, written either way round. */
export interface AttributeComparison {
  readonly name: string;
  readonly comparator: Comparator;
  readonly value: WireValue;
}

const mirrored: Readonly<Record<Comparator, Comparator>> = {
  "=": "=",
  "<>": "<>",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** Reads a condition as the comparison of one whole attribute with a value, if it is that. */
export function comparisonOf(condition: Condition): AttributeComparison | undefined {
  if (condition.kind !== "compare") return undefined;
  const { left, right, comparator } = condition;
  if (left.kind === "path" && left.path.length === 1 && right.kind === "value") {
    return { name: left.path[0], comparator, value: right.value };
  }
  if (right.kind === "path" && right.path.length === 1 && left.kind === "value") {
    return { name: right.path[0], comparator: mirrored[comparator], value: left.value };
  }
  return undefined;
}
