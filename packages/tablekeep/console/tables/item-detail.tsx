import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { JsonView } from "../json/json-view.tsx";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { useKeys } from "../shell/keys.ts";
import { goTo } from "../shell/use-route.ts";
import { plainItem } from "./plain-item.ts";
import type { WireItem } from "./table-facts.ts";
import { fetchItem } from "./tables-api.ts";

export interface ItemDetailProps {
  readonly table: string;
  /** In DynamoDB's JSON. */
  readonly itemKey: string;
  readonly back: string;
}

/** One item, as plain JSON or as DynamoDB has it. */
export function ItemDetail({ table, itemKey, back }: ItemDetailProps): VNode {
  const [tab, setTab] = useState<"plain" | "dynamodb">("plain");
  useKeys({
    Escape: { does: "Close", run: () => goTo(back) },
    d: {
      does: "Switch between plain JSON and DynamoDB JSON",
      run: () => setTab(tab === "plain" ? "dynamodb" : "plain"),
    },
  });
  const answer = useAnswer((signal) => fetchItem(table, itemKey, signal), [`${table} ${itemKey}`]);
  return (
    <Detail title={keyTitle(itemKey)} back={back}>
      <AnswerView answer={answer}>
        {({ item, readUnits }) => (
          <>
            <Facts
              facts={{
                Attributes: String(Object.keys(item).length),
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
              <JsonView value={tab === "plain" ? plainItem(item) : item} label="Item" />
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
