import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { FilterBox } from "../parts/filter-box.tsx";
import type { ShadowFilter } from "./shadow-rows.ts";

export interface ShadowControlsProps {
  readonly filter: ShadowFilter;
  readonly onFilter: (filter: ShadowFilter) => void;
  readonly onRefresh: () => void;
  readonly onNew: () => void;
  /** The address of the rollouts; undefined if the store has none. */
  readonly rollouts: string | undefined;
}

/** The controls above the list of shadows: prefix, sync, query, and buttons. */
export function ShadowControls({ filter, onFilter, onRefresh, onNew, rollouts }: ShadowControlsProps): VNode {
  const [typed, setTyped] = useState(filter.query);
  useEffect(() => setTyped(filter.query), [filter.query]);
  return (
    <>
      <FilterBox
        label="Filter things by prefix"
        value={filter.prefix}
        onChange={(prefix) => onFilter({ ...filter, prefix })}
      />
      <select
        aria-label="State"
        value={filter.sync}
        onChange={({ currentTarget }) =>
          onFilter({ ...filter, sync: currentTarget.value as ShadowFilter["sync"] })
        }
      >
        <option value="">All</option>
        <option value="in">In sync</option>
        <option value="behind">Behind</option>
      </select>
      <form
        class="query-box whole-row"
        onSubmit={(event) => {
          event.preventDefault();
          onFilter({ ...filter, query: typed.trim() });
        }}
      >
        <input
          type="search"
          aria-label="Search by query"
          placeholder="Query: reported.level < 5"
          spellcheck={false}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </form>
      <button type="button" onClick={onRefresh}>
        Refresh
      </button>
      <button type="button" onClick={onNew}>
        New
      </button>
      {rollouts !== undefined && (
        <a class="button" href={rollouts}>
          Rollouts
        </a>
      )}
    </>
  );
}
