import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { NewKeysDialog } from "./new-keys-dialog.tsx";
import { changeTable } from "./tables-api.ts";

export interface NewIndexProps {
  readonly table: string;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** Creates a global index. */
export function NewIndexDialog({ table, onClose, onCreated }: NewIndexProps): VNode {
  const [projection, setProjection] = useState<"all" | "keys" | "some">("all");
  const [attributes, setAttributes] = useState("");
  return (
    <NewKeysDialog
      title="New index"
      onClose={onClose}
      create={async (keys) => {
        const projected = projection === "some" ? namesOf(attributes) : projection;
        await changeTable(table, { createIndex: { ...keys, projection: projected } });
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
