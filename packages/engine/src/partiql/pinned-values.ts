import type { KeyAttribute } from "../catalog/table-model.ts";
import type { Condition } from "../expression/syntax-tree.ts";
import { equalValues } from "../item/equal-values.ts";
import type { WireValue } from "../item/wire-value.ts";
import { checkKeyValue } from "./check-key-value.ts";
import { comparisonOf } from "./conjuncts.ts";

/**
 * The values to which a condition pins an attribute: by `=`, by IN, or by an OR of these. Undefined if it leaves the
 * attribute open. Each value once.
 */
export function pinnedValues(attribute: KeyAttribute, condition: Condition): WireValue[] | undefined {
  const values = valuesOf(attribute.name, condition);
  if (values === undefined) return undefined;
  for (const value of values) checkKeyValue(attribute, value, "HASH");
  return values.filter((value, at) => values.findIndex((other) => equalValues(value, other)) === at);
}

function valuesOf(name: string, condition: Condition): WireValue[] | undefined {
  if (condition.kind === "or") {
    const left = valuesOf(name, condition.left);
    const right = left && valuesOf(name, condition.right);
    return left && right && [...left, ...right];
  }
  if (condition.kind === "in") {
    const { operand, list } = condition;
    if (operand.kind !== "path" || operand.path.length > 1 || operand.path[0] !== name) return undefined;
    const values = list.flatMap((element) => (element.kind === "value" ? [element.value] : []));
    return values.length === list.length ? values : undefined;
  }
  const comparison = comparisonOf(condition);
  return comparison?.name === name && comparison.comparator === "=" ? [comparison.value] : undefined;
}
