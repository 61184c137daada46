import type { VNode } from "preact";
import { FilterBox } from "../parts/filter-box.tsx";
import { parseHash, placeOf } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { type MailSearch, placeQuery, type SearchKind, searchKinds, searchOf } from "./search-kinds.ts";

/** The form of a search: query and field. */
export function SearchTools({ search }: { readonly search: MailSearch }): VNode {
  // Typing and choosing at once changes the address before the next render.
  const update = (change: Partial<MailSearch>) => {
    const latest = searchOf(parseHash(location.hash));
    goTo(placeOf(["mail"], placeQuery({ ...latest, ...change })), { replace: true });
  };
  return (
    <search class="search-tools">
      <select
        aria-label="What to search"
        value={search.kind}
        onChange={({ currentTarget }) => update({ kind: currentTarget.value as SearchKind })}
      >
        {Object.entries(searchKinds).map(([kind, title]) => (
          <option key={kind} value={kind}>
            {title}
          </option>
        ))}
      </select>
      <FilterBox label="Search mail" value={search.query} onChange={(query) => update({ query })} />
    </search>
  );
}
