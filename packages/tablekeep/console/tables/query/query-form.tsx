import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import { useKeys } from "../../shell/keyboard.ts";
import { isGlobal, type KeyFact, type TableFacts } from "../api/table-facts.ts";
import { FilterFields } from "./filter-fields.tsx";
import { emptyQuery, type ItemsQuery } from "./items-query.ts";
import { QueryCode } from "./query-code-view.tsx";

export interface QueryFormProps {
  readonly facts: TableFacts;
  /** Names of attributes to suggest. */
  readonly names: readonly string[];
  readonly asked: ItemsQuery;
  readonly onAsk: (query: ItemsQuery) => void;
}

const sortComparisons = ["=", "<", "<=", ">", ">=", "between"];

/** Selects the items to read: of a table or an index, of one partition or all, with filters. */
export function QueryForm({ facts, names, asked, onAsk }: QueryFormProps): VNode {
  const [query, setQuery] = useState(asked);
  const change = (changed: Partial<ItemsQuery>) => setQuery((before) => ({ ...before, ...changed }));
  const first = useRef<HTMLInputElement>(null);
  useKeys({ "/": { does: "Query by partition", run: () => first.current?.focus() } });
  const place = facts.indexes.find(({ name }) => name === query.index) ?? facts;
  const canBeConsistent = !isGlobal(place);
  const [showsCode, setShowsCode] = useState(false);
  return (
    <form
      class="query-form"
      onSubmit={(event) => {
        event.preventDefault();
        onAsk(canBeConsistent ? query : { ...query, isConsistent: false });
      }}
    >
      {facts.indexes.length > 0 && (
        <label>
          Read
          <select
            value={query.index}
            onChange={({ currentTarget }) =>
              change({ index: currentTarget.value, sortIs: "=", sort: "", sortTo: "" })
            }
          >
            <option value="">the table</option>
            {facts.indexes.map(({ name }) => (
              <option key={name} value={name}>
                index {name}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        {place.partition.name} {place.partition.type === "B" && "(base64)"}
        <input
          ref={first}
          value={query.partition}
          placeholder="any (scans the table)"
          onInput={({ currentTarget }) => change({ partition: currentTarget.value })}
        />
      </label>
      {place.sort !== undefined && query.partition !== "" && (
        <SortFields sortKey={place.sort} query={query} change={change} />
      )}
      <FilterFields names={names} filters={query.filters} onChange={(filters) => change({ filters })} />
      <div class="query-end">
        {canBeConsistent && (
          <label class="switch">
            <input
              type="checkbox"
              checked={query.isConsistent}
              onChange={({ currentTarget }) => change({ isConsistent: currentTarget.checked })}
            />
            Consistent
          </label>
        )}
        {query.partition !== "" && (
          <label class="switch">
            <input
              type="checkbox"
              checked={query.isDescending}
              onChange={({ currentTarget }) => change({ isDescending: currentTarget.checked })}
            />
            Descending
          </label>
        )}
        <span class="query-buttons">
          <button
            type="button"
            class="plain"
            aria-expanded={showsCode}
            onClick={() => setShowsCode(!showsCode)}
          >
            Code
          </button>
          <button
            type="button"
            class="plain"
            onClick={() => {
              // What was typed and not run yet is not in the address.
              setQuery(emptyQuery);
              onAsk(emptyQuery);
            }}
          >
            Clear
          </button>
          <button type="submit" class="primary">
            {query.partition === "" ? "Scan" : "Query"}
          </button>
        </span>
      </div>
      {showsCode && <QueryCode facts={facts} query={query} />}
    </form>
  );
}

interface SortFieldsProps {
  readonly sortKey: KeyFact;
  readonly query: ItemsQuery;
  readonly change: (changed: Partial<ItemsQuery>) => void;
}

function SortFields({ sortKey: { name, type }, query, change }: SortFieldsProps): VNode {
  return (
    <fieldset>
      <legend>{name}</legend>
      <select
        aria-label={`How ${name} is compared`}
        value={query.sortIs}
        onChange={({ currentTarget }) => change({ sortIs: currentTarget.value })}
      >
        {(type === "N" ? sortComparisons : [...sortComparisons, "begins_with"]).map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <input
        aria-label={name}
        placeholder="any"
        value={query.sort}
        onInput={({ currentTarget }) => change({ sort: currentTarget.value })}
      />
      {query.sortIs === "between" && (
        <input
          aria-label={`${name}, the other end`}
          placeholder="and"
          required={query.sort !== ""}
          value={query.sortTo}
          onInput={({ currentTarget }) => change({ sortTo: currentTarget.value })}
        />
      )}
    </fieldset>
  );
}
