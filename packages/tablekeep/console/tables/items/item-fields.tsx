import type { VNode } from "preact";
import { type FieldType, fieldTypes, firstText, type ItemField, isJsonType } from "./typed-fields.ts";

export interface ItemFieldsProps {
  readonly fields: readonly ItemField[];
  /** The key attributes, which every item has. */
  readonly keys: readonly string[];
  /** Whether the key cannot be changed, because the item exists. */
  readonly keepsKeys: boolean;
  readonly onChange: (fields: readonly ItemField[]) => void;
}

const fresh: ItemField = { name: "", type: "S", text: "" };

/** The attributes of an item, one per line: name, type and value. */
export function ItemFields({ fields, keys, keepsKeys, onChange }: ItemFieldsProps): VNode {
  return (
    <div class="item-fields">
      {fields.map((field, at) => {
        const isKey = keys.includes(field.name) && at < keys.length;
        const change = (changed: Partial<ItemField>) => onChange(fields.with(at, { ...field, ...changed }));
        return (
          <fieldset key={`${at}`}>
            <legend class="unseen">Attribute {at + 1}</legend>
            <input
              aria-label="Name"
              placeholder="name"
              value={field.name}
              readOnly={isKey}
              onInput={({ currentTarget }) => change({ name: currentTarget.value })}
            />
            <select
              aria-label={`Type of ${field.name}`}
              value={field.type}
              disabled={isKey}
              onChange={({ currentTarget }) => {
                const type = currentTarget.value as FieldType;
                const fits = isJsonType(type) === isJsonType(field.type) && type !== "BOOL";
                change({ type, text: fits ? field.text : firstText(type) });
              }}
            >
              {Object.entries(fieldTypes).map(([type, title]) => (
                <option key={type} value={type}>
                  {title}
                </option>
              ))}
            </select>
            <FieldValue field={field} isFixed={isKey && keepsKeys} onType={(text) => change({ text })} />
            <button
              type="button"
              class="plain"
              aria-label={`Remove ${field.name}`}
              disabled={isKey}
              onClick={() => onChange(fields.filter((_, other) => other !== at))}
            >
              ×
            </button>
          </fieldset>
        );
      })}
      <button type="button" class="plain" onClick={() => onChange([...fields, fresh])}>
        + Attribute
      </button>
    </div>
  );
}

interface FieldValueProps {
  readonly field: ItemField;
  readonly isFixed: boolean;
  readonly onType: (text: string) => void;
}

function FieldValue({ field: { name, type, text }, isFixed, onType }: FieldValueProps): VNode {
  const label = `Value of ${name}`;
  if (type === "NULL") return <input aria-label={label} value="null" readOnly={true} />;
  if (type === "BOOL")
    return (
      <select
        aria-label={label}
        value={text === "true" ? "true" : "false"}
        onChange={({ currentTarget }) => onType(currentTarget.value)}
      >
        <option>true</option>
        <option>false</option>
      </select>
    );
  if (isJsonType(type) || text.includes("\n") || text.length > 80)
    return (
      <textarea
        aria-label={label}
        rows={2}
        spellcheck={false}
        readOnly={isFixed}
        value={text}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
      />
    );
  return (
    <input
      aria-label={label}
      placeholder={type === "B" ? "base64" : "value"}
      inputMode={type === "N" ? "decimal" : "text"}
      readOnly={isFixed}
      value={text}
      onInput={({ currentTarget }) => onType(currentTarget.value)}
    />
  );
}
