import type { VNode } from "preact";
import { FilterBox } from "../parts/filter-box.tsx";
import { parseHash, placeOf } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { type MailSearch, placeQuery, type SearchKind, searchKinds, searchOf } from "./mail-search.ts";

/** The form of a search: query and field. */
export function SearchTools({ search }: { readonly search: MailSearch }): VNode {
  // The address is newer than what this was drawn with, if one types and chooses at once.
  const look = (change: Partial<MailSearch>) => {
    const latest = searchOf(parseHash(location.hash));
    goTo(placeOf(["mail"], placeQuery({ ...latest, ...change })), { replace: true });
  };
  return (
    <search class="search-tools">
      <select
        aria-label="What to search"
        value={search.kind}
        onChange={({ currentTarget }) => look({ kind: currentTarget.value as SearchKind })}
      >
        {Object.entries(searchKinds).map(([kind, title]) => (
          <option key={kind} value={kind}>
            {title}
          </option>
        ))}
      </select>
      <FilterBox label="Search mail" value={search.query} onChange={(query) => look({ query })} />
    </search>
  );
}
