import type { VNode } from "preact";
import { Detail } from "../../parts/detail.tsx";
import { goTo } from "../../shell/use-route.ts";
import type { KeyFact, TableFacts, WireItem, WireValue } from "../api/table-facts.ts";
import { ItemEditor } from "./item-editor.tsx";

export interface NewItemProps {
  readonly facts: TableFacts;
  readonly back: string;
  readonly onCreated: (item: WireItem) => void;
}

/** Creates an item; the editor begins with its key. */
export function NewItem({ facts, back, onCreated }: NewItemProps): VNode {
  const { partition, sort } = facts;
  const keys = sort === undefined ? [partition] : [partition, sort];
  return (
    <Detail title="New item" back={back}>
      <ItemEditor
        facts={facts}
        from={null}
        start={Object.fromEntries(keys.map((key) => [key.name, emptyKey(key)]))}
        onSaved={onCreated}
        onClose={() => goTo(back)}
      />
    </Detail>
  );
}

function emptyKey({ type }: KeyFact): WireValue {
  return { [type]: type === "N" ? "1" : "" };
}
