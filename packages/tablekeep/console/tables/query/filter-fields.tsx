import type { VNode } from "preact";
import { pathOfName } from "./filter-path.ts";
import type { TypedFilter } from "./items-query.ts";

export interface FilterFieldsProps {
  /** Names of attributes to suggest. */
  readonly names: readonly string[];
  readonly filters: readonly TypedFilter[];
  readonly onChange: (filters: readonly TypedFilter[]) => void;
}

const comparisons = ["=", "<>", "<", "<=", ">", ">=", "begins_with", "contains", "exists", "not_exists"];
const types = { S: "string", N: "number", BOOL: "true/false", NULL: "null" };
const fresh: TypedFilter = { path: "", is: "=", type: "S", value: "" };

/** Conditions that items must meet to be shown. */
export function FilterFields({ names, filters, onChange }: FilterFieldsProps): VNode {
  return (
    <>
      <datalist id="attribute-names">
        {names.map((name) => (
          <option key={name} value={pathOfName(name)} />
        ))}
      </datalist>
      {filters.map((filter, at) => (
        <OneFilter
          key={`${at}`}
          filter={filter}
          onChange={(changed) => onChange(filters.with(at, changed))}
          onRemove={() => onChange(filters.filter((_, other) => other !== at))}
        />
      ))}
      <button type="button" class="plain add-filter" onClick={() => onChange([...filters, fresh])}>
        + Filter
      </button>
    </>
  );
}

interface OneFilterProps {
  readonly filter: TypedFilter;
  readonly onChange: (filter: TypedFilter) => void;
  readonly onRemove: () => void;
}

function OneFilter({ filter, onChange, onRemove }: OneFilterProps): VNode {
  const needsValue = filter.is !== "exists" && filter.is !== "not_exists";
  return (
    <fieldset class="one-filter">
      <legend class="unseen">Filter</legend>
      <input
        aria-label="Attribute"
        placeholder="attribute"
        list="attribute-names"
        title={'Use dots for members of maps, and quotes for a name with dots: address.city, "user.name"'}
        value={filter.path}
        onInput={({ currentTarget }) => onChange({ ...filter, path: currentTarget.value })}
      />
      <select
        aria-label="Comparison"
        value={filter.is}
        onChange={({ currentTarget }) => onChange({ ...filter, is: currentTarget.value })}
      >
        {comparisons.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      {needsValue && (
        <select
          aria-label="Type"
          value={filter.type}
          onChange={({ currentTarget }) =>
            onChange({ ...filter, type: currentTarget.value as TypedFilter["type"] })
          }
        >
          {Object.entries(types).map(([type, name]) => (
            <option key={type} value={type}>
              {name}
            </option>
          ))}
        </select>
      )}
      {needsValue && filter.type === "BOOL" && (
        <select
          aria-label="Value"
          value={filter.value === "true" ? "true" : "false"}
          onChange={({ currentTarget }) => onChange({ ...filter, value: currentTarget.value })}
        >
          <option>true</option>
          <option>false</option>
        </select>
      )}
      {needsValue && filter.type !== "NULL" && filter.type !== "BOOL" && (
        <input
          aria-label="Value"
          placeholder="value"
          value={filter.value}
          onInput={({ currentTarget }) => onChange({ ...filter, value: currentTarget.value })}
        />
      )}
      <button type="button" class="plain" aria-label="Remove the filter" onClick={onRemove}>
        ×
      </button>
    </fieldset>
  );
}
