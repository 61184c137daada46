import type { Condition, Operand, Path } from "./syntax-tree.ts";

/** Every path that a condition looks at. */
export function conditionPaths(condition: Condition): Path[] {
  switch (condition.kind) {
    case "and":
    case "or":
      return [...conditionPaths(condition.left), ...conditionPaths(condition.right)];
    case "not":
      return conditionPaths(condition.condition);
    case "attribute_exists":
    case "attribute_not_exists":
      return [condition.path];
    case "attribute_type":
      return operandPaths(condition.operand, condition.type);
    case "compare":
      return operandPaths(condition.left, condition.right);
    case "between":
      return operandPaths(condition.operand, condition.low, condition.high);
    case "in":
      return operandPaths(condition.operand, ...condition.list);
    case "begins_with":
      return operandPaths(condition.operand, condition.prefix);
    case "contains":
      return operandPaths(condition.operand, condition.sought);
  }
}

function operandPaths(...operands: readonly Operand[]): Path[] {
  return operands.flatMap((operand) => (operand.kind === "value" ? [] : [operand.path]));
}
