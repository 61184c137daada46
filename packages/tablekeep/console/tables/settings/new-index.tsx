import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { sendChange } from "../api/send-change.ts";
import type { TableFacts } from "../api/table-facts.ts";
import { NewKeysDialog } from "./new-keys-dialog.tsx";

export interface NewIndexProps {
  readonly facts: TableFacts;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** Creates a global index. */
export function NewIndexDialog({ facts, onClose, onCreated }: NewIndexProps): VNode {
  const [projection, setProjection] = useState<"all" | "keys" | "some">("all");
  const [attributes, setAttributes] = useState("");
  return (
    <NewKeysDialog
      title="New index"
      onClose={onClose}
      create={async (keys) => {
        const projected = projection === "some" ? namesOf(attributes) : projection;
        const createIndex = { ...keys, projection: projected };
        await sendChange(facts, { createIndex }, `index ${keys.name}`);
        onCreated();
      }}
    >
      <label>
        Attributes beside the keys
        <select
          value={projection}
          onChange={({ currentTarget }) => setProjection(currentTarget.value as typeof projection)}
        >
          <option value="all">all</option>
          <option value="keys">none</option>
          <option value="some">these</option>
        </select>
      </label>
      {projection === "some" && (
        <label>
          Names, separated by commas
          <input
            required
            value={attributes}
            onInput={({ currentTarget }) => setAttributes(currentTarget.value)}
          />
        </label>
      )}
    </NewKeysDialog>
  );
}

function namesOf(typed: string): readonly string[] {
  return typed
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
