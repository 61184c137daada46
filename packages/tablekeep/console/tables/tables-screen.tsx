import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { cursorRows } from "../list/cursor-rows.ts";
import { ListCount } from "../list/list-count.tsx";
import { compareNames, sortedPages } from "../list/sorted-pages.ts";
import { useRefresh, useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { FilterBox } from "../parts/filter-box.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf, type Route } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { lastDeletion } from "./api/table-undo.ts";
import { createTable, tablesNamed } from "./api/tables-api.ts";
import { UndoButton } from "./api/undo-button.tsx";
import { OneTableView } from "./one-table-view.tsx";
import { NewKeysDialog } from "./settings/new-keys-dialog.tsx";
import "../parts/detail.css";
import "./tables.css";

/** The tables, and the items of one of them. */
export function TablesScreen({ route }: { readonly route: Route }): VNode {
  const [table, part] = route.path;
  if (table === undefined) return <TableList name={route.query.get("name") ?? ""} />;
  return <OneTableView key={table} table={table} part={part} query={route.query} />;
}

/** The tables whose names contain `name`. */
function TableList({ name }: { readonly name: string }): VNode {
  const fetchPage = sortedPages(tablesNamed(name), compareNames);
  const rows = useRows(() => cursorRows<string>({ keyOf: (each) => each, fetchPage }), [name]);
  const [isMaking, setIsMaking] = useState(false);
  useRefresh(rows);
  return (
    <>
      <SplitView
        tools={
          <>
            <FilterBox
              label="Filter tables by name"
              value={name}
              onChange={(typed) => goTo(placeOf(["tables"], { name: typed }), { replace: true })}
            />
            <button type="button" onClick={() => rows.reload()}>
              Refresh
            </button>
            <button type="button" onClick={() => setIsMaking(true)}>
              New
            </button>
            <UndoButton find={lastDeletion} onUndone={() => rows.reload()} />
          </>
        }
        list={
          <>
            <VirtualList
              key={name}
              rows={rows}
              label="Tables"
              rowHeight={42}
              keyOf={(each) => each}
              hrefOf={(each) => placeOf(["tables", each])}
              renderRow={(each) => (
                <span class="row-line">
                  <strong title={each}>{each}</strong>
                </span>
              )}
              empty={name === "" ? <NoTables /> : <NothingFound name={name} />}
            />
            <ListCount rows={rows} noun="table" />
          </>
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

function NoTables(): VNode {
  return (
    <EmptyState
      title="No tables yet"
      commands={["npx tablekeep table create --table orders --partition-key id"]}
    >
      <p>Create one with the button “New”, this command, or any AWS SDK:</p>
    </EmptyState>
  );
}

function NothingFound({ name }: { readonly name: string }): VNode {
  return (
    <EmptyState title="No results">
      <p>No table has “{name}” in its name.</p>
    </EmptyState>
  );
}
