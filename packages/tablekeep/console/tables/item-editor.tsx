import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Tabs } from "../parts/tabs.tsx";
import { confirmed } from "../shell/confirm.tsx";
import { useKeys } from "../shell/keys.ts";
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
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => box.current?.focus(), []);
  const typed = parseItem(text, form);
  const save = async () => {
    if ("fault" in typed || isSaving) return;
    setIsSaving(true);
    if (await applyChange({ table, from, to: typed.item })) onSaved(typed.item);
    setIsSaving(false);
  };
  const leave = async () => {
    const question = {
      title: "Discard changes?",
      text: "Your changes have not been saved.",
      action: "Discard",
    };
    if (text === printed(start, form) || (await confirmed(question))) onClose();
  };
  useKeys({ Escape: { does: "Stop editing", run: () => void leave() } });
  const choose = (next: ItemForm) => {
    if ("fault" in typed || next === form) return;
    setText(printed(typed.item, next));
    setForm(next);
  };
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => {
        if ((event.ctrlKey || event.metaKey) && event.key === "Enter") event.currentTarget.requestSubmit();
      }}
    >
      <Tabs
        label="Form of the item"
        tabs={[
          { name: "plain", title: "Plain JSON", disabled: "item" in typed && !isPlain(typed.item) },
          { name: "dynamodb", title: "DynamoDB JSON" },
        ]}
        chosen={form}
        onChoose={choose}
      />
      <label for="item-text">Item, as {form === "plain" ? "plain" : "DynamoDB"} JSON</label>
      <textarea
        id="item-text"
        ref={box}
        rows={Math.min(24, Math.max(6, text.split("\n").length + 1))}
        spellcheck={false}
        aria-invalid={"fault" in typed}
        aria-describedby="item-fault"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p id="item-fault" class="fault" role="status">
        {"fault" in typed ? `✗ ${typed.fault}` : ""}
      </p>
      <div class="actions">
        <span class="dim hint">Ctrl + Enter saves</span>
        <button type="button" onClick={() => void leave()}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={isSaving || "fault" in typed}>
          {from === null ? "Create" : "Save"}
        </button>
      </div>
    </form>
  );
}
