import { batchGet } from "@tablekeep/client";
import { parseQuery } from "../query/parse-query.ts";
import { groupsIn, type QueryCondition, withGroups } from "../query/query-condition.ts";
import type { StoreCall } from "../store/store-options.ts";
import { findGroup } from "./open-groups.ts";
import { groupNotFound, memberKey, type StoredGroup } from "./stored-group.ts";

/** A query whose dynamic groups are replaced by their queries. */
export interface ResolvedQuery {
  readonly condition: QueryCondition;
  /** Returns which of these things are in which static groups of the query. */
  memberships(things: readonly string[]): Promise<(thing: string, group: string) => boolean>;
}

/** Reads the groups that a query names. Throws `SHADOW_GROUP_NOT_FOUND`. */
export async function resolveGroups(call: StoreCall, query: QueryCondition): Promise<ResolvedQuery> {
  const conditions = new Map<string, QueryCondition>();
  const lists: StoredGroup[] = [];
  for (const name of groupsIn(query)) {
    const group = await findGroup(call, name);
    if (group === undefined) throw groupNotFound(name);
    if (group.query === undefined) lists.push(group);
    else conditions.set(name, parseQuery(group.query));
  }
  return {
    condition: withGroups(query, conditions),
    async memberships(things) {
      const keys = lists.flatMap((group) => [...new Set(things)].map((thing) => ({ group, thing })));
      const { table } = call.options;
      const items =
        keys.length === 0
          ? []
          : await batchGet(
              call.port,
              keys.map(({ group, thing }) => ({ table, key: memberKey(group, thing) })),
              { consistent: true, ...call.request() },
            );
      const found = new Set(
        keys.flatMap(({ group, thing }, at) =>
          items[at] === undefined ? [] : [JSON.stringify([group.name, thing])],
        ),
      );
      return (thing, group) => found.has(JSON.stringify([group, thing]));
    },
  };
}
