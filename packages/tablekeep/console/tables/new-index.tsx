import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../shell/dialog.tsx";
import { KeyFields } from "./key-fields.tsx";
import type { KeyFact } from "./table-facts.ts";
import { changeTable, type NewIndex } from "./tables-api.ts";

export interface NewIndexProps {
  readonly table: string;
  readonly onClose: () => void;
  readonly onCreated: () => void;
}

/** Creates a global index. */
export function NewIndexDialog({ table, onClose, onCreated }: NewIndexProps): VNode {
  const [name, setName] = useState("");
  const [partitionKey, setPartitionKey] = useState<KeyFact>({ name: "", type: "S" });
  const [sortKey, setSortKey] = useState<KeyFact>({ name: "", type: "S" });
  const [projection, setProjection] = useState<"all" | "keys" | "some">("all");
  const [attributes, setAttributes] = useState("");
  const [failure, setFailure] = useState("");
  const create = async () => {
    const index: NewIndex = {
      name,
      partitionKey,
      ...(sortKey.name !== "" && { sortKey }),
      projection: projection === "some" ? namesOf(attributes) : projection,
    };
    try {
      await changeTable(table, { createIndex: index });
      onCreated();
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <Dialog title="New index" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <label>
          Name
          <input
            required
            minLength={3}
            maxLength={255}
            pattern="[A-Za-z0-9_.\-]+"
            title="3 to 255 letters, digits, underscores, dots and hyphens"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <KeyFields label="Partition key" isRequired={true} value={partitionKey} onChange={setPartitionKey} />
        <KeyFields label="Sort key (optional)" value={sortKey} onChange={setSortKey} />
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
        <p class="fault" role="status">
          {failure}
        </p>
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function namesOf(typed: string): readonly string[] {
  return typed
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
