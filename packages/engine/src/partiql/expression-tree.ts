import type { Comparator, Path } from "../expression/syntax-tree.ts";
import type { Position } from "./statement-fault.ts";

/**
 * An expression as it is written, with its parameters still open. What it can mean depends on where it stands: as a
 * condition, as a value, as a path. That is decided when the statement is bound to its parameters.
 */
export type Expression = { readonly position: Position } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly text: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "null" | "missing" | "ion" }
  | { readonly kind: "parameter"; readonly index: number }
  | { readonly kind: "path"; readonly path: Path }
  | { readonly kind: "list" | "bag"; readonly elements: readonly Expression[] }
  | { readonly kind: "struct"; readonly members: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: "call"; readonly name: string; readonly operands: readonly Expression[] }
  | { readonly kind: "not"; readonly operand: Expression }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "compare";
      readonly comparator: Comparator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "between";
      readonly operand: Expression;
      readonly low: Expression;
      readonly high: Expression;
    }
  | { readonly kind: "in"; readonly operand: Expression; readonly list: Expression }
  | { readonly kind: "is"; readonly operand: Expression; readonly type: string }
  | {
      readonly kind: "arithmetic";
      readonly operator: string;
      readonly left: Expression;
      /** Absent after a sign that stands before one operand. */
      readonly right?: Expression;
    }
);
