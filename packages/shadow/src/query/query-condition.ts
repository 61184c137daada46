import type { ExactNumber } from "../document/exact-number.ts";

/** The operator of a comparison. */
export type QueryOperator = "=" | "!=" | "<" | "<=" | ">" | ">=";

/** A value that a query compares with. */
export type QueryValue = null | boolean | string | number | bigint | ExactNumber;

/** The root of a path. */
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

/** The root of a path, and its keys. */
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
      /** The thing is in this group. */
      readonly kind: "group";
      readonly name: string;
    }
  | {
      readonly kind: "compare";
      readonly path: QueryPath;
      readonly operator: QueryOperator;
      readonly value: QueryValue;
    };

/** The parts of a query that do not consist of others. */
function* leavesOf(condition: QueryCondition): Generator<QueryCondition> {
  if (condition.kind === "and" || condition.kind === "or")
    for (const each of condition.all) yield* leavesOf(each);
  else if (condition.kind === "not") yield* leavesOf(condition.condition);
  else yield condition;
}

/** Whether a query uses one of these roots. */
export function isAbout(condition: QueryCondition, roots: readonly QueryPath["root"][]): boolean {
  return [...leavesOf(condition)].some((leaf) => "path" in leaf && roots.includes(leaf.path.root));
}

/** The names of the groups in a query, each once. */
export function groupsIn(condition: QueryCondition): string[] {
  return [...new Set([...leavesOf(condition)].flatMap((leaf) => (leaf.kind === "group" ? leaf.name : [])))];
}

/** The query with each group replaced by its condition, if it has one. */
export function withGroups(
  condition: QueryCondition,
  groups: ReadonlyMap<string, QueryCondition>,
): QueryCondition {
  switch (condition.kind) {
    case "and":
    case "or":
      return { ...condition, all: condition.all.map((each) => withGroups(each, groups)) };
    case "not":
      return { kind: "not", condition: withGroups(condition.condition, groups) };
    case "group":
      return groups.get(condition.name) ?? condition;
    default:
      return condition;
  }
}
