import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { confirmed } from "../../shell/confirm.tsx";
import { tellFailure, tellSuccess } from "../../shell/toasts.tsx";
import { sendChange } from "../api/send-change.ts";
import type { IndexFacts, KeyFact, TableFacts } from "../api/table-facts.ts";
import { typeNames } from "./key-fields.tsx";
import { NewIndexDialog } from "./new-index.tsx";

export interface TableIndexesProps {
  readonly facts: TableFacts;
  /** Called when the indexes have changed, or to read the progress of a new one. */
  readonly onChanged: () => void;
}

/** How often an index that is being built or deleted is read again, in milliseconds. */
const buildingMs = 1_500;

/** The indexes of a table, which can be created and deleted unless the table is read-only. */
export function TableIndexes({ facts, onChanged }: TableIndexesProps): VNode {
  const { indexes, readOnly } = facts;
  const canUndo = facts.undo === true;
  const [isMaking, setIsMaking] = useState(false);
  const isChanging = facts.status === "UPDATING" || indexes.some(({ status }) => status !== "ACTIVE");
  useEffect(() => {
    if (!isChanging) return;
    const timer = setTimeout(onChanged, buildingMs);
    return () => clearTimeout(timer);
  }, [facts]);
  const remove = async (index: string) => {
    const question = {
      title: `Delete the index ${index}?`,
      text: `The items of the table stay. Programs that read the index get an error. ${canUndo ? "You can undo this: the index is built again." : "This cannot be undone: create the index again."}`,
      action: "Delete",
    };
    if (!(await confirmed(question))) return;
    try {
      await sendChange(facts, { deleteIndex: index }, `deletion of the index ${index}`);
      tellSuccess(`Deleted ${index}`);
    } catch (error) {
      tellFailure(error);
    }
    onChanged();
  };
  return (
    <>
      <div class="index-head">
        <h2>Indexes</h2>
        {readOnly !== true && (
          <button type="button" onClick={() => setIsMaking(true)}>
            New index
          </button>
        )}
      </div>
      {indexes.length === 0 ? (
        <p class="dim">None.</p>
      ) : (
        <IndexTable
          indexes={indexes}
          onRemove={readOnly === true ? undefined : (index) => void remove(index)}
        />
      )}
      {isMaking && (
        <NewIndexDialog
          facts={facts}
          onClose={() => setIsMaking(false)}
          onCreated={() => {
            setIsMaking(false);
            onChanged();
          }}
        />
      )}
    </>
  );
}

interface IndexTableProps {
  readonly indexes: readonly IndexFacts[];
  /** Undefined if indexes cannot be deleted. */
  readonly onRemove: ((index: string) => void) | undefined;
}

function IndexTable({ indexes, onRemove }: IndexTableProps): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <div class="index-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>Name</th>
            <th>Kind</th>
            <th>Partition key</th>
            <th>Sort key</th>
            <th>Projection</th>
            <th>Items</th>
            <th>Status</th>
          </tr>
        </thead>
        <tbody>
          {indexes.map((index) => (
            <tr key={index.name}>
              <td>{index.name}</td>
              <td>{index.kind}</td>
              <td>{keyName(index.partition)}</td>
              <td>{index.sort && keyName(index.sort)}</td>
              <td>{typeof index.projection === "string" ? index.projection : index.projection.join(", ")}</td>
              <td>{index.itemCount.toLocaleString()}</td>
              <td>
                {index.status === "ACTIVE" ? "active" : index.status.toLowerCase()}{" "}
                {onRemove !== undefined && index.kind === "global" && index.status === "ACTIVE" && (
                  <button
                    type="button"
                    class="plain"
                    aria-label={`Delete the index ${index.name}`}
                    onClick={() => onRemove(index.name)}
                  >
                    Delete…
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The name and the type of a key attribute. */
export function keyName({ name, type }: KeyFact): VNode {
  return (
    <>
      <code>{name}</code> <span class="dim">{typeNames[type]}</span>
    </>
  );
}
