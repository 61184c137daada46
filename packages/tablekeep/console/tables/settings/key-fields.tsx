import type { VNode } from "preact";
import type { KeyFact } from "../api/table-facts.ts";

/** The types of key attributes, for people. */
export const typeNames: Readonly<Record<KeyFact["type"], string>> = { S: "string", N: "number", B: "bytes" };

export interface KeyFieldsProps {
  readonly label: string;
  readonly isRequired?: boolean;
  readonly value: KeyFact;
  readonly onChange: (value: KeyFact) => void;
}

/** The name and the type of a key attribute. */
export function KeyFields({ label, isRequired = false, value, onChange }: KeyFieldsProps): VNode {
  return (
    <div class="key-fields">
      <label>
        {label}
        <input
          required={isRequired}
          value={value.name}
          onInput={({ currentTarget }) => onChange({ ...value, name: currentTarget.value })}
        />
      </label>
      <label>
        Type
        <select
          value={value.type}
          onChange={({ currentTarget }) =>
            onChange({ ...value, type: currentTarget.value as KeyFact["type"] })
          }
        >
          {Object.entries(typeNames).map(([type, title]) => (
            <option key={type} value={type}>
              {title}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
