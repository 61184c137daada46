import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRefresh, useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf, type Route } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { lastDeletion } from "./api/table-undo.ts";
import { createTable, fetchTables } from "./api/tables-api.ts";
import { UndoButton } from "./api/undo-button.tsx";
import { OneTableView } from "./one-table-view.tsx";
import { NewKeysDialog } from "./settings/new-keys-dialog.tsx";
import "../parts/detail.css";
import "./tables.css";

/** Tables: which there are, and of one its items. */
export function TablesScreen({ route }: { readonly route: Route }): VNode {
  const [table, part] = route.path;
  if (table === undefined) return <TableList />;
  return <OneTableView key={table} table={table} part={part} query={route.query} />;
}

function TableList(): VNode {
  const rows = useRows(() => cursorRows<string>({ keyOf: (name) => name, fetchPage: fetchTables }), []);
  const [isMaking, setIsMaking] = useState(false);
  useRefresh(rows);
  return (
    <>
      <SplitView
        tools={
          <div class="list-head">
            <strong>Tables</strong>
            <button type="button" onClick={() => rows.reload()}>
              Refresh
            </button>
            <button type="button" onClick={() => setIsMaking(true)}>
              New
            </button>
            <UndoButton find={lastDeletion} onUndone={() => rows.reload()} />
          </div>
        }
        list={
          <VirtualList
            rows={rows}
            label="Tables"
            rowHeight={42}
            keyOf={(name) => name}
            hrefOf={(name) => placeOf(["tables", name])}
            renderRow={(name) => (
              <span class="row-line">
                <strong>{name}</strong>
              </span>
            )}
            empty={
              <EmptyState
                title="No tables yet"
                commands={["npx tablekeep table create --table orders --partition-key id"]}
              >
                <p>Create one with the button “New”, this command, or any AWS SDK:</p>
              </EmptyState>
            }
          />
        }
        detail={undefined}
        nothingOpen="Select a table"
      />
      {isMaking && (
        <NewKeysDialog
          title="New table"
          partitionKey="id"
          onClose={() => setIsMaking(false)}
          create={async (keys) => {
            await createTable(keys);
            goTo(placeOf(["tables", keys.name]));
          }}
        />
      )}
    </>
  );
}
