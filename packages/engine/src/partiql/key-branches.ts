import type { KeyModel } from "../catalog/table-model.ts";
import { type Condition, conditionPaths } from "../expression/syntax-tree.ts";
import { comparisonOf } from "./key-conditions.ts";

/** The alternatives of a WHERE clause, each as conditions joined by AND. */
export type Branches = readonly (readonly Condition[])[];

/** More alternatives are not examined. */
const maxBranches = 1000;

/**
 * Splits a WHERE clause at each OR and IN that names the key of a table or index: DynamoDB reads the alternatives
 * separately. Returns undefined if there is one only, or too many.
 */
export function keyBranches(keys: KeyModel, where: Condition | undefined): Branches | undefined {
  const branches = where && split(new Set([...keys.hash, ...keys.range].map(({ name }) => name)), where);
  return branches !== undefined && branches.length > 1 ? branches : undefined;
}

function split(names: ReadonlySet<string>, condition: Condition): Branches | undefined {
  if (condition.kind === "and") {
    const left = split(names, condition.left);
    const right = split(names, condition.right);
    if (left === undefined || right === undefined || left.length * right.length > maxBranches)
      return undefined;
    return left.flatMap((one) => right.map((other) => [...one, ...other]));
  }
  if (condition.kind === "or" && limitsKey(names, condition)) {
    const left = split(names, condition.left);
    const right = split(names, condition.right);
    if (left === undefined || right === undefined || left.length + right.length > maxBranches)
      return undefined;
    return [...left, ...right];
  }
  if (condition.kind === "in" && limitsKey(names, condition)) {
    const { operand: left, list } = condition;
    return list.map((right) => [{ kind: "compare", comparator: "=", left, right }]);
  }
  return [[condition]];
}

/** Returns whether a condition limits a key to values or to a range, in any part that is not negated. */
function limitsKey(names: ReadonlySet<string>, condition: Condition): boolean {
  switch (condition.kind) {
    case "and":
    case "or":
      return limitsKey(names, condition.left) || limitsKey(names, condition.right);
    case "compare": {
      const comparison = comparisonOf(condition);
      return comparison !== undefined && comparison.comparator !== "<>" && names.has(comparison.name);
    }
    case "in":
    case "between":
    case "begins_with": {
      const { operand } = condition;
      return operand.kind === "path" && operand.path.length === 1 && names.has(operand.path[0]);
    }
    default:
      return false;
  }
}

/** Returns whether a condition excludes values of an attribute: by NOT or `<>`. */
export function excludesValues(name: string, condition: Condition): boolean {
  if (condition.kind === "not") return conditionPaths(condition).some(([first]) => first === name);
  const comparison = comparisonOf(condition);
  return comparison?.comparator === "<>" && comparison.name === name;
}
