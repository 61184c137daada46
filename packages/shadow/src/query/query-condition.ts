import type { ExactNumber } from "../document/exact-number.ts";

/** How a comparison compares. */
export type QueryOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";

/** A value that a query compares with. */
export type QueryValue = null | boolean | string | number | bigint | ExactNumber;

/** Where a path begins. */
export const queryRoots = [
  "reported",
  "desired",
  "delta",
  "thing",
  "name",
  "version",
  "connected",
  "connectivity",
] as const;

/** The roots that are a single value, without keys. */
export const plainRoots: readonly QueryPath["root"][] = ["thing", "name", "version", "connected"];

/** Where a path begins, and the keys that follow. */
export interface QueryPath {
  readonly root: (typeof queryRoots)[number];
  readonly keys: readonly string[];
}

/** A query, parsed. */
export type QueryCondition =
  | { readonly kind: "and" | "or"; readonly all: readonly QueryCondition[] }
  | { readonly kind: "not"; readonly condition: QueryCondition }
  | { readonly kind: "exists"; readonly path: QueryPath }
  | {
      readonly kind: "compare";
      readonly path: QueryPath;
      readonly operator: QueryOperator;
      readonly value: QueryValue;
    };

/** Whether a query is about one of these roots. */
export function isAbout(condition: QueryCondition, roots: readonly QueryPath["root"][]): boolean {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.all.some((each) => isAbout(each, roots));
    case "not":
      return isAbout(condition.condition, roots);
    default:
      return roots.includes(condition.path.root);
  }
}
