import type { ComponentChildren, VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError } from "../api/call-api.ts";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { EmptyState } from "../parts/empty-state.tsx";
import { counted } from "../parts/show-values.ts";
import { SplitView } from "../parts/split-view.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { placeOf } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { useStore } from "../shell/use-store.ts";
import type { ReadCost, TableFacts, WireItem } from "./api/table-facts.ts";
import { fetchItems } from "./api/tables-api.ts";
import { addItems, type KnownColumns } from "./grid/grid-columns.ts";
import { ItemGrid } from "./grid/item-grid.tsx";
import { ItemDetail } from "./items/item-detail.tsx";
import { NewItem } from "./items/new-item.tsx";
import {
  addressOfQuery,
  type ItemsQuery,
  keyOfItem,
  queryOfAddress,
  requestOfQuery,
} from "./query/items-query.ts";
import { QueryForm } from "./query/query-form.tsx";

export interface ItemsViewProps {
  readonly facts: TableFacts;
  /** The head of the table, with tools of this view. */
  readonly head: (tools?: ComponentChildren) => VNode;
  /** `new`, or the open item, by its key in DynamoDB's JSON. */
  readonly part: string | undefined;
  readonly query: URLSearchParams;
  /** Increases with each change that is undone. */
  readonly undone: number;
  /** Called if the table no longer exists. */
  readonly onGone: () => void;
}

/** The items of a table by query or scan, and the open one. */
export function ItemsView({ facts, head, part, query, undone, onGone }: ItemsViewProps): VNode {
  const address = query.toString();
  const asked = useMemo(() => queryOfAddress(query), [address]);
  const [changed, setChanged] = useState(0);
  const round = changed + undone;
  const { rows, cost, columns } = useItems(facts, asked, round);
  const { mayBeMore, error } = useStore(rows.state);
  useEffect(() => {
    if (error instanceof ApiError && error.status === 404) onGone();
  }, [error]);
  const back = placeOf(["tables", facts.name], addressOfQuery(asked));
  const place = (item: string) => placeOf(["tables", facts.name, item], addressOfQuery(asked));
  const runQuery = (next: ItemsQuery) => {
    const wanted = placeOf(["tables", facts.name], addressOfQuery(next));
    if (location.hash === wanted) onChanged();
    else goTo(wanted);
  };
  const onChanged = () => setChanged((last) => last + 1);
  const canChange = facts.readOnly !== true;
  const { partition, sort } = facts;
  return (
    <SplitView
      tools={
        <>
          {head(canChange && <NewItemLink place={place("new")} />)}
          <QueryForm key={address} facts={facts} names={[...columns.keys()]} asked={asked} onAsk={runQuery} />
        </>
      }
      list={
        <ItemGrid
          key={address}
          table={facts.name}
          keys={sort === undefined ? [partition.name] : [partition.name, sort.name]}
          rows={rows}
          columns={columns}
          keyOf={(item) => keyOfItem(facts, item)}
          hrefOf={(item) => place(keyOfItem(facts, item))}
          openKey={part === "new" ? undefined : part}
          empty={<NoItem facts={facts} asked={asked} />}
          failure="The items cannot be read"
          foot={`${counted(cost.items, "item")}${mayBeMore ? " so far" : ""}, ${cost.scanned.toLocaleString()} scanned, ${counted(cost.readUnits, "read unit")}`}
        />
      }
      detail={
        part === undefined ? undefined : part === "new" ? (
          <NewItem
            facts={facts}
            back={back}
            onCreated={(item) => {
              onChanged();
              goTo(place(keyOfItem(facts, item)));
            }}
          />
        ) : (
          <ItemDetail
            key={part}
            facts={facts}
            itemKey={part}
            back={back}
            round={round}
            onChanged={onChanged}
          />
        )
      }
      openKey={part}
    />
  );
}

function NewItemLink({ place }: { readonly place: string }): VNode {
  useKeys({ c: { does: "Create an item", run: () => goTo(place) } });
  return (
    <a class="button" href={place}>
      New item
    </a>
  );
}

function NoItem({ facts, asked }: { readonly facts: TableFacts; readonly asked: ItemsQuery }): VNode {
  if (asked.partition !== "" || asked.filters.length > 0 || asked.index !== "")
    return (
      <EmptyState title="No results">
        <p>No item matches. Keys and filters are case-sensitive.</p>
      </EmptyState>
    );
  if (facts.readOnly === true)
    return (
      <EmptyState title="This table is empty">
        <p>Read-only: {facts.reason}.</p>
      </EmptyState>
    );
  return (
    <EmptyState title="This table is empty" commands={[`npx tablekeep table import ${facts.name}.json`]}>
      <p>
        Create an item with the button “New item”, import a file under “About”, or write with any AWS SDK at
        the DynamoDB endpoint.
      </p>
    </EmptyState>
  );
}

function useItems(facts: TableFacts, asked: ItemsQuery, round: number) {
  const [cost, setCost] = useState<ReadCost>({ items: 0, scanned: 0, readUnits: 0 });
  const [columns, setColumns] = useState<KnownColumns>(new Map());
  const rows = useRows(
    () =>
      cursorRows<WireItem>({
        keyOf: (item) => keyOfItem(facts, item),
        async fetchPage(cursor, signal) {
          const page = await fetchItems(facts.name, requestOfQuery(asked, cursor), signal);
          setCost((before) => ({
            items: (cursor === undefined ? 0 : before.items) + page.items.length,
            scanned: (cursor === undefined ? 0 : before.scanned) + page.scanned,
            readUnits: (cursor === undefined ? 0 : before.readUnits) + page.readUnits,
          }));
          setColumns((before) => addItems(cursor === undefined ? new Map() : before, page.items));
          return { rows: page.items, next: page.next };
        },
      }),
    [facts, asked, round],
  );
  return { rows, cost, columns };
}
