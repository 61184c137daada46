import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../../shell/dialog.tsx";
import type { KeyFact } from "../api/table-facts.ts";
import { KeyFields } from "./key-fields.tsx";

/** The common properties of a table and an index. */
export interface NamedKeys {
  readonly name: string;
  readonly partitionKey: KeyFact;
  readonly sortKey?: KeyFact;
}

export interface NewKeysDialogProps {
  readonly title: string;
  /** The name of the partition key to begin with. @default none */
  readonly partitionKey?: string;
  readonly onClose: () => void;
  /** Creates it. The dialog shows an error that it throws. */
  readonly create: (keys: NamedKeys) => Promise<void>;
  /** Further fields. */
  readonly children?: ComponentChildren;
}

/** A dialog for a name and keys, which creates a table or an index. */
export function NewKeysDialog(props: NewKeysDialogProps): VNode {
  const [name, setName] = useState("");
  const [partitionKey, setPartitionKey] = useState<KeyFact>({ name: props.partitionKey ?? "", type: "S" });
  const [sortKey, setSortKey] = useState<KeyFact>({ name: "", type: "S" });
  const [failure, setFailure] = useState("");
  const create = async () => {
    try {
      await props.create({ name, partitionKey, ...(sortKey.name !== "" && { sortKey }) });
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <Dialog title={props.title} onClose={props.onClose}>
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
        {props.children}
        <p class="fault" role="status">
          {failure}
        </p>
        <div class="actions">
          <button type="button" onClick={props.onClose}>
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
