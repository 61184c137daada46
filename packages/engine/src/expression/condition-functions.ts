import { pathOnly } from "./check-operands.ts";
import type { Condition, Operand } from "./syntax-tree.ts";
import { ExpressionFault } from "./token-reader.ts";

/** A function that is a condition by itself. */
export interface ConditionFunction {
  readonly operands: number;
  readonly condition: (operands: readonly Operand[]) => Condition;
}

/** Those functions by name. */
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

/** Throws if a function has more or fewer operands than it takes. */
export function checkOperandCount(name: string, actual: number, wanted: number): void {
  if (actual !== wanted) {
    throw new ExpressionFault(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${actual}`,
    );
  }
}
