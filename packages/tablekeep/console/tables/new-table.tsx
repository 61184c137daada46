import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../shell/dialog.tsx";
import { KeyFields } from "./key-fields.tsx";
import type { KeyFact } from "./table-facts.ts";
import { createTable } from "./tables-api.ts";

export interface NewTableProps {
  readonly onClose: () => void;
  readonly onCreated: (name: string) => void;
}

/** Creates a table. */
export function NewTable({ onClose, onCreated }: NewTableProps): VNode {
  const [name, setName] = useState("");
  const [partitionKey, setPartitionKey] = useState<KeyFact>({ name: "id", type: "S" });
  const [sortKey, setSortKey] = useState<KeyFact>({ name: "", type: "S" });
  const [failure, setFailure] = useState("");
  const create = async () => {
    try {
      await createTable({ name, partitionKey, ...(sortKey.name !== "" && { sortKey }) });
      onCreated(name);
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <Dialog title="New table" onClose={onClose}>
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
