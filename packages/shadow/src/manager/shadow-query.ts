import { type Connectivity, connectivityDocument } from "../connectivity/connectivity.ts";
import { matchesQuery, type Queried } from "../query/match-query.ts";
import { parseQuery } from "../query/parse-query.ts";
import { groupsIn, isAbout, type QueryCondition, type QueryPath } from "../query/query-condition.ts";
import { queryInvalid } from "../query/query-tokens.ts";
import type { ShadowView } from "./shadow-view.ts";

/** The shadow that a query is compared with. */
export type QueriedShadow = Pick<ShadowView, "id" | "name" | "version" | "state" | "delta">;

/** A condition on shadows, parsed. */
export interface ShadowQuery {
  /** The roots of its paths: `reported`, `desired`, `delta`, `thing`, `name`, `version`. */
  readonly roots: ReadonlySet<string>;
  /** Whether a shadow matches. */
  matches(shadow: QueriedShadow): boolean;
}

/**
 * Parses a condition such as `reported.firmware < "2.1" and desired.on = true`. Throws `SHADOW_QUERY_INVALID` with the place of an
 * error. Whether things are connected, and in which groups they are, is unknown here: only a search can find out.
 *
 * @example
 * const isOld = shadowQuery('reported.firmware < "2.1"');
 * const view = await manager.get({ id: "lamp" });
 * if (view !== undefined && isOld.matches(view)) console.log("update it");
 */
export function shadowQuery(query: string): ShadowQuery {
  const condition = parseQuery(query);
  if (isAbout(condition, ["connected", "connectivity"]) || groupsIn(condition).length > 0)
    throw queryInvalid(query, 0, "connected, connectivity and group are for searches only");
  return {
    roots: new Set(rootsOf(condition)),
    matches: (shadow) => matchesQuery(condition, queried(shadow)),
  };
}

function rootsOf(condition: QueryCondition): QueryPath["root"][] {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.all.flatMap(rootsOf);
    case "not":
      return rootsOf(condition.condition);
    case "group":
      return [];
    case "exists":
    case "compare":
      return [condition.path.root];
  }
}

/** The values of a shadow that a query compares. */
export function queried(
  { id, name, version, state, delta }: QueriedShadow,
  connectivity?: Connectivity,
): Queried {
  const roots = {
    thing: id,
    name,
    version,
    reported: state.reported,
    desired: state.desired,
    delta,
    connected: connectivity?.connected ?? false,
    connectivity: connectivity && connectivityDocument(connectivity),
  };
  return (root) => roots[root];
}
