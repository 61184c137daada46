import type { VNode } from "preact";
import { NewKeysDialog } from "./new-keys-dialog.tsx";
import { createTable } from "./tables-api.ts";

export interface NewTableProps {
  readonly onClose: () => void;
  readonly onCreated: (name: string) => void;
}

/** Creates a table. */
export function NewTable({ onClose, onCreated }: NewTableProps): VNode {
  return (
    <NewKeysDialog
      title="New table"
      partitionKey="id"
      onClose={onClose}
      create={async (keys) => {
        await createTable(keys);
        onCreated(keys.name);
      }}
    />
  );
}
