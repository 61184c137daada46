import type { Path } from "../expression/syntax-tree.ts";
import type { Expression } from "./expression-tree.ts";
import type { Selection } from "./selection.ts";

/** A statement as it is written, with its parameters still open. */
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
  /** What is asked for; absent for everything. */
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

/** A condition check: only in transactions, beside writes. */
export interface ExistsStatement {
  readonly kind: "exists";
  readonly table: string;
  readonly select: SelectStatement;
}

/** What RETURNING asks for. */
export type Returning = `${"ALL" | "MODIFIED"} ${"OLD" | "NEW"}`;

/** A statement and how many parameters it takes. */
export interface ParsedStatement {
  readonly statement: Statement;
  readonly parameters: number;
}
