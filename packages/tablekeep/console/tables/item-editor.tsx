import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { JsonEditor } from "../parts/json-editor.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { applyChange } from "./item-changes.ts";
import { plainItem } from "./plain-item.ts";
import type { WireItem } from "./table-facts.ts";
import { type ItemForm, isPlain, parseItem } from "./typed-item.ts";

export interface ItemEditorProps {
  readonly table: string;
  /** The item as it is; null for a new one. */
  readonly from: WireItem | null;
  /** What the editor begins with. */
  readonly start: WireItem;
  readonly onSaved: (item: WireItem) => void;
  readonly onClose: () => void;
}

const printed = (item: WireItem, form: ItemForm) =>
  JSON.stringify(form === "plain" ? plainItem(item) : item, undefined, 2);

/** Edits an item as JSON. It is saved only if nobody changed it meanwhile. */
export function ItemEditor({ table, from, start, onSaved, onClose }: ItemEditorProps): VNode {
  const [form, setForm] = useState<ItemForm>(isPlain(start) ? "plain" : "dynamodb");
  const [text, setText] = useState(() => printed(start, form));
  const [isSaving, setIsSaving] = useState(false);
  const typed = parseItem(text, form);
  const save = async () => {
    if ("fault" in typed || isSaving) return;
    setIsSaving(true);
    if (await applyChange({ table, from, to: typed.item })) onSaved(typed.item);
    setIsSaving(false);
  };
  const choose = (next: ItemForm) => {
    if ("fault" in typed || next === form) return;
    setText(printed(typed.item, next));
    setForm(next);
  };
  return (
    <JsonEditor
      label={`Item, as ${form === "plain" ? "plain" : "DynamoDB"} JSON`}
      text={text}
      original={printed(start, form)}
      fault={"fault" in typed ? typed.fault : undefined}
      maxRows={24}
      action={from === null ? "Create" : "Save"}
      canSave={!isSaving && !("fault" in typed)}
      onType={setText}
      onSave={() => void save()}
      onClose={onClose}
      head={
        <Tabs
          label="Form of the item"
          tabs={[
            { name: "plain", title: "Plain JSON", disabled: "item" in typed && !isPlain(typed.item) },
            { name: "dynamodb", title: "DynamoDB JSON" },
          ]}
          chosen={form}
          onChoose={choose}
        />
      }
    />
  );
}
