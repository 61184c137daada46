import type { Comparator, Path } from "../expression/syntax-tree.ts";
import type { TokenPosition } from "./statement-tokens.ts";

/** A parsed statement, not yet bound to its parameters. */
export type Statement =
  | SelectStatement
  | InsertStatement
  | UpdateStatement
  | DeleteStatement
  | ExistsStatement;

export interface SelectStatement {
  readonly kind: "select";
  readonly table: string;
  readonly index: string | undefined;
  /** The selected paths; undefined for all attributes. */
  readonly selection: Selection | undefined;
  readonly where: Expression | undefined;
  readonly order: readonly Order[];
}

export interface Order {
  readonly name: string;
  readonly descending: boolean;
}

export interface InsertStatement {
  readonly kind: "insert";
  readonly table: string;
  readonly item: Expression;
}

export interface UpdateStatement {
  readonly kind: "update";
  readonly table: string;
  readonly set: readonly Assignment[];
  readonly remove: readonly Path[];
  readonly where: Expression | undefined;
  readonly returning: Returning | undefined;
}

export interface Assignment {
  readonly path: Path;
  readonly value: Expression;
}

export interface DeleteStatement {
  readonly kind: "delete";
  readonly table: string;
  readonly where: Expression | undefined;
  readonly returning: Returning | undefined;
}

/** A condition check, allowed only in transactions, beside writes. */
export interface ExistsStatement {
  readonly kind: "exists";
  readonly table: string;
  readonly select: SelectStatement;
}

/** What RETURNING requests. */
export type Returning = `${"ALL" | "MODIFIED"} ${"OLD" | "NEW"}`;

/** A statement and the number of its parameters. */
export interface ParsedStatement {
  readonly statement: Statement;
  readonly parameters: number;
}

/** The selected paths of a SELECT, each with the name under which it is returned. */
export type Selection = readonly { readonly path: Path; readonly name: string }[];

/**
 * A parsed expression, not yet bound to its parameters. Its meaning depends on its place: a condition, a value or a
 * path. Binding the statement decides that.
 */
export type Expression = { readonly position: TokenPosition } & (
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
      /** Absent after a sign in front of one operand. */
      readonly right?: Expression;
    }
);
