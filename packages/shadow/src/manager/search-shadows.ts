import { type OptionChecks, optionCheck } from "@tablekeep/core";
import type { Connectivity } from "../connectivity/connectivity.ts";
import { readConnectivity } from "../connectivity/read-connectivity.ts";
import { resolveGroups } from "../groups/resolve-groups.ts";
import { checkCall, type ShadowCallOptions } from "../model/call-options.ts";
import { checkOptions, optionInvalid } from "../model/shadow-error.ts";
import { matchesQuery } from "../query/match-query.ts";
import { parseQuery } from "../query/parse-query.ts";
import { isAbout } from "../query/query-condition.ts";
import { scanShadows } from "../store/scan-shadows.ts";
import { beginCall, type StoreContext } from "../store/store-options.ts";
import { queried } from "./shadow-query.ts";
import { type ShadowView, viewOf } from "./shadow-view.ts";

/** The shadows to search for. */
export interface SearchRequest {
  /** A condition such as `reported.firmware < "2.1" and desired.on = true`. */
  readonly query: string;
  /** Only the shadows of this thing. @default the shadows of all things, by a scan of the table */
  readonly id?: string;
  /** Maximum number of shadows per page, at most 1,000. @default 100 */
  readonly limit?: number;
  /** The `token` of the previous page. @default the first page */
  readonly token?: string;
}

/** A shadow that a query matches. */
export interface FoundShadow extends ShadowView {
  /** Whether its thing is connected, if the query asks for it; undefined if the thing never was. */
  readonly connectivity?: Connectivity;
}

/** One page of a search. */
export interface SearchPage {
  readonly shadows: readonly FoundShadow[];
  /** Where the next page begins; undefined after the last. A page may be empty and still have a token. */
  readonly token?: string;
}

const checks: OptionChecks<SearchRequest> = {
  query: optionCheck.string,
  id: optionCheck.string,
  limit: optionCheck.integer(1, 1000),
  token: optionCheck.string,
};

/** Returns one page of the shadows that a query matches. */
export async function searchShadows(
  context: StoreContext,
  request: SearchRequest,
  given: ShadowCallOptions,
): Promise<SearchPage> {
  checkCall(given);
  checkOptions(request, checks);
  const { query, id, limit = 100, token } = request;
  if (query === undefined) throw optionInvalid("query", "is missing");
  const call = beginCall(context, given);
  const { condition, memberships } = await resolveGroups(call, parseQuery(query));
  const needsConnectivity = isAbout(condition, ["connected", "connectivity"]);
  const page = await scanShadows(call, {
    id,
    limit,
    token,
    async select(shadows) {
      const things = needsConnectivity ? shadows.map((shadow) => shadow.id) : [];
      const connectivity = await readConnectivity(call, things);
      const isMember = await memberships(shadows.map((shadow) => shadow.id));
      return shadows.map((shadow) => {
        const found = connectivity.get(shadow.id);
        const view: FoundShadow = { ...viewOf(shadow), ...(found && { connectivity: found }) };
        const isInGroup = (group: string) => isMember(shadow.id, group);
        return matchesQuery(condition, queried(view, view.connectivity), isInGroup) ? view : undefined;
      });
    },
  });
  return { shadows: page.values, ...(page.token !== undefined && { token: page.token }) };
}
