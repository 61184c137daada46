import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { JsonEditor } from "../parts/json-editor.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { forgetUnsaved } from "../shell/unsaved.ts";
import { applyChange } from "./item-changes.ts";
import { ItemFields } from "./item-fields.tsx";
import { plainItem } from "./plain-item.ts";
import type { TableFacts, WireItem } from "./table-facts.ts";
import { fieldsOf, type ItemField, itemOfFields } from "./typed-fields.ts";
import { isPlain, parseItem, type TextForm } from "./typed-item.ts";

/** How an item is edited. */
type ItemForm = TextForm | "fields";

export interface ItemEditorProps {
  readonly facts: TableFacts;
  /** The item as it is; null for a new one. */
  readonly from: WireItem | null;
  /** What the editor begins with. */
  readonly start: WireItem;
  readonly onSaved: (item: WireItem) => void;
  readonly onClose: () => void;
}

const printed = (item: WireItem, form: TextForm) =>
  JSON.stringify(form === "plain" ? plainItem(item) : item, undefined, 2);

/** Edits an item by fields or as JSON. It is saved only if it was not changed meanwhile. */
export function ItemEditor({ facts, from, start, onSaved, onClose }: ItemEditorProps): VNode {
  const keys = [facts.partition.name, ...(facts.sort === undefined ? [] : [facts.sort.name])];
  const [form, setForm] = useState<ItemForm>(isPlain(start) ? "plain" : "dynamodb");
  const [text, setText] = useState(() => printed(start, textForm(form)));
  const [fields, setFields] = useState<readonly ItemField[]>([]);
  const [isSaving, setIsSaving] = useState(false);
  const typed = form === "fields" ? itemOfFields(fields) : parseItem(text, form);
  const save = async () => {
    if ("fault" in typed || isSaving) return;
    setIsSaving(true);
    if (await applyChange({ table: facts.name, from, to: typed.item })) {
      forgetUnsaved();
      onSaved(typed.item);
    }
    setIsSaving(false);
  };
  const choose = (next: ItemForm) => {
    if ("fault" in typed || next === form) return;
    if (next === "fields") setFields(fieldsOf(typed.item, keys));
    else setText(printed(typed.item, next));
    setForm(next);
  };
  return (
    <JsonEditor
      label={`Item, as ${form === "plain" ? "plain" : "DynamoDB"} JSON`}
      text={form === "fields" ? JSON.stringify(fields) : text}
      original={form === "fields" ? JSON.stringify(fieldsOf(start, keys)) : printed(start, form)}
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
            { name: "fields", title: "Form" },
            { name: "plain", title: "Plain JSON", disabled: "item" in typed && !isPlain(typed.item) },
            { name: "dynamodb", title: "DynamoDB JSON" },
          ]}
          chosen={form}
          onChoose={choose}
        />
      }
      {...(form === "fields" && {
        editor: <ItemFields fields={fields} keys={keys} keepsKeys={from !== null} onChange={setFields} />,
      })}
    />
  );
}

function textForm(form: ItemForm): TextForm {
  return form === "plain" ? "plain" : "dynamodb";
}
