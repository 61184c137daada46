import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { JsonEditor } from "../../parts/json-editor.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import type { TableFacts, WireItem } from "../api/table-facts.ts";
import { ItemConflict } from "./item-conflict.tsx";
import { ItemFields } from "./item-fields.tsx";
import { plainItem } from "./plain-item.ts";
import { fieldsOf, type ItemField, itemOfFields } from "./typed-fields.ts";
import { isPlain, parseItem, type TextForm } from "./typed-item.ts";
import { useItemSave } from "./use-item-save.ts";

/** The form of an editor. */
type ItemForm = TextForm | "fields";

export interface ItemEditorProps {
  readonly facts: TableFacts;
  /** The current item; null for a new one. */
  readonly from: WireItem | null;
  /** The initial content of the editor. */
  readonly start: WireItem;
  readonly onSaved: (item: WireItem) => void;
  /** Called if the item was changed meanwhile. @default nothing is done */
  readonly onConflict?: () => void;
  readonly onClose: () => void;
}

const printed = (item: WireItem, form: TextForm) =>
  JSON.stringify(form === "plain" ? plainItem(item) : item, undefined, 2);

/** Edits an item by fields or as JSON. It is saved only if it was not changed meanwhile; otherwise the user decides. */
export function ItemEditor(props: ItemEditorProps): VNode {
  const { facts, onSaved, onConflict, onClose } = props;
  // The item that a save replaces, and what the editor began with: others after a conflict.
  const [{ from, start }, setBase] = useState<Pick<ItemEditorProps, "from" | "start">>(props);
  const { isSaving, stored, save, forget } = useItemSave({ facts, onSaved, onConflict });
  const keys = [facts.partition.name, ...(facts.sort === undefined ? [] : [facts.sort.name])];
  const [form, setForm] = useState<ItemForm>(isPlain(start) ? "plain" : "dynamodb");
  const [text, setText] = useState(() => printed(start, textForm(form)));
  const [fields, setFields] = useState<readonly ItemField[]>([]);
  const typed = form === "fields" ? itemOfFields(fields) : parseItem(text, form);
  const startAgain = (item: WireItem) => {
    const next = form === "plain" && !isPlain(item) ? "dynamodb" : form;
    setBase({ from: item, start: item });
    setForm(next);
    setText(printed(item, textForm(next)));
    setFields(fieldsOf(item, keys));
    forget();
  };
  const changeFields = (next: readonly ItemField[]) => {
    setFields(next);
    if (from === null) forget();
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
      canSave={!isSaving && stored === undefined && !("fault" in typed)}
      onType={(next) => {
        setText(next);
        // Another key may be free.
        if (from === null) forget();
      }}
      onSave={() => "item" in typed && void save(from, typed.item)}
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
        editor: <ItemFields fields={fields} keys={keys} keepsKeys={from !== null} onChange={changeFields} />,
      })}
    >
      {stored !== undefined && (
        <ItemConflict
          {...{ stored, isSaving }}
          typed={"item" in typed ? typed.item : undefined}
          isNew={from === null}
          onStartAgain={startAgain}
          onSave={(item) => void save(stored, item)}
        />
      )}
    </JsonEditor>
  );
}

function textForm(form: ItemForm): TextForm {
  return form === "plain" ? "plain" : "dynamodb";
}
