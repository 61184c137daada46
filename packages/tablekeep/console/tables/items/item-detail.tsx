import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../../api/use-answer.ts";
import { JsonView } from "../../json/json-view.tsx";
import { AnswerView } from "../../parts/answer-view.tsx";
import { Detail, Facts } from "../../parts/detail.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { useKeys } from "../../shell/keyboard.ts";
import { forgetUnsaved } from "../../shell/unsaved.ts";
import { goTo } from "../../shell/use-route.ts";
import type { TableFacts, WireItem } from "../api/table-facts.ts";
import { fetchItem } from "../api/tables-api.ts";
import { applyChange } from "./item-changes.ts";
import { ItemEditor } from "./item-editor.tsx";
import { plainItem } from "./plain-item.ts";

export interface ItemDetailProps {
  readonly facts: TableFacts;
  /** In DynamoDB's JSON. */
  readonly itemKey: string;
  readonly back: string;
  /** Increases with each change to the table. */
  readonly round: number;
  readonly onChanged: () => void;
}

/** One item, as plain JSON or as DynamoDB has it, and its editor. */
export function ItemDetail({ facts, itemKey, back, round, onChanged }: ItemDetailProps): VNode {
  const { name: table } = facts;
  const canChange = facts.readOnly !== true;
  const [tab, setTab] = useState<"plain" | "dynamodb">("plain");
  // The item as it was when its editor was opened: reading it again meanwhile must not change what a save replaces.
  const [edited, setEdited] = useState<WireItem>();
  useKeys({
    Escape: { does: "Close", run: () => goTo(back) },
    d: {
      does: "Switch between plain JSON and DynamoDB JSON",
      run: () => setTab(tab === "plain" ? "dynamodb" : "plain"),
    },
    e: { does: "Edit the item", when: () => canChange && edited === undefined, run: () => setEdited(item) },
  });
  const answer = useAnswer((signal) => fetchItem(table, itemKey, signal), [`${table} ${itemKey}`, round]);
  const item = answer.kind === "ready" ? answer.value.item : undefined;
  const remove = async (from: WireItem) => {
    const outcome = await applyChange({ table, from, to: null });
    if (outcome === "conflict") onChanged();
    if (outcome !== "applied") return;
    forgetUnsaved();
    onChanged();
    goTo(back);
  };
  return (
    <Detail
      title={keyTitle(itemKey)}
      back={back}
      actions={
        canChange &&
        item !== undefined && (
          <>
            <button
              type="button"
              class="primary"
              disabled={edited !== undefined}
              onClick={() => setEdited(item)}
            >
              Edit
            </button>
            <button type="button" class="danger" onClick={() => void remove(item)}>
              Delete
            </button>
          </>
        )
      }
    >
      {facts.reason !== undefined && <p class="dim">Read-only: {facts.reason}.</p>}
      {edited !== undefined && (
        <ItemEditor
          facts={facts}
          from={edited}
          start={edited}
          onSaved={() => {
            setEdited(undefined);
            onChanged();
          }}
          onConflict={onChanged}
          onClose={() => setEdited(undefined)}
        />
      )}
      <AnswerView answer={answer}>
        {({ item: shown, readUnits }) => (
          <>
            <Facts
              facts={{
                Attributes: String(Object.keys(shown).length),
                "Read units": readUnits.toLocaleString(),
              }}
            />
            <Tabs
              label="Views of the item"
              tabs={[
                { name: "plain", title: "Plain JSON" },
                { name: "dynamodb", title: "DynamoDB JSON" },
              ]}
              chosen={tab}
              onChoose={setTab}
            />
            <div role="tabpanel">
              <JsonView value={tab === "plain" ? plainItem(shown) : shown} label="Item" />
            </div>
          </>
        )}
      </AnswerView>
    </Detail>
  );
}

/** The values of a key, one after the other. */
function keyTitle(itemKey: string): string {
  try {
    const key = JSON.parse(itemKey) as WireItem;
    return Object.values(key)
      .flatMap((value) => Object.values(value))
      .join(" · ");
  } catch {
    return "Item";
  }
}
