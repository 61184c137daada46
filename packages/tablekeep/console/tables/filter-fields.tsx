import type { VNode } from "preact";
import type { TypedFilter } from "./items-query.ts";

export interface FilterFieldsProps {
  readonly filters: readonly TypedFilter[];
  readonly onChange: (filters: readonly TypedFilter[]) => void;
}

const comparisons = ["=", "<>", "<", "<=", ">", ">=", "begins_with", "contains", "exists", "not_exists"];
const types = { S: "string", N: "number", BOOL: "true/false", NULL: "null" };
const fresh: TypedFilter = { path: "", is: "=", type: "S", value: "" };

/** Conditions that items must fulfill to be shown. */
export function FilterFields({ filters, onChange }: FilterFieldsProps): VNode {
  return (
    <>
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
        title="Use dots for members of maps: address.city"
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
      {needsValue && filter.type !== "NULL" && (
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
