import type { VNode } from "preact";
import type { Rows } from "../list/rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { placeOf } from "../shell/route.ts";
import { useStore } from "../shell/use-store.ts";
import { addressOfQuery, type ItemsQuery, keyOfItem, keyText } from "./items-query.ts";
import { itemPreview } from "./plain-item.ts";
import type { ReadCost, TableFacts, WireItem } from "./table-facts.ts";

export interface ItemListProps {
  readonly facts: TableFacts;
  readonly rows: Rows<WireItem>;
  readonly asked: ItemsQuery;
  readonly openKey: string | undefined;
  readonly cost: ReadCost;
}

/** The items that a query found, and what finding them took. */
export function ItemList({ facts, rows, asked, openKey, cost }: ItemListProps): VNode {
  const { mayBeMore } = useStore(rows.state);
  const place = addressOfQuery(asked);
  return (
    <>
      <VirtualList
        rows={rows}
        label="Items"
        rowHeight={60}
        keyOf={(item) => keyOfItem(facts, item)}
        hrefOf={(item) => placeOf(["tables", facts.name, keyOfItem(facts, item)], place)}
        openKey={openKey}
        renderRow={(item) => <ItemLines facts={facts} item={item} />}
        empty={<NoItem facts={facts} asked={asked} />}
      />
      <p class="list-foot" role="status">
        {cost.items.toLocaleString()} items{mayBeMore && " so far"}, {cost.scanned.toLocaleString()} scanned,{" "}
        {cost.readUnits.toLocaleString()} read units
      </p>
    </>
  );
}

const mostCharacters = 200;

function ItemLines({ facts, item }: { readonly facts: TableFacts; readonly item: WireItem }): VNode {
  const { [facts.partition.name]: _, [facts.sort?.name ?? ""]: __, ...rest } = item;
  return (
    <>
      <span class="row-line">
        <strong>
          {keyText(item, facts.partition)}
          {facts.sort && <span class="sort-key"> {keyText(item, facts.sort)}</span>}
        </strong>
      </span>
      <span class="row-line dim">
        <code class="grow">{itemPreview(rest, mostCharacters)}</code>
      </span>
    </>
  );
}

function NoItem({ facts, asked }: { readonly facts: TableFacts; readonly asked: ItemsQuery }): VNode {
  if (asked.partition !== "" || asked.filters.length > 0 || asked.index !== "")
    return (
      <EmptyState title="No results">
        <p>No item matches. Keys and filters are case-sensitive.</p>
      </EmptyState>
    );
  return (
    <EmptyState title="This table is empty" commands={[`npx tablekeep table import ${facts.name}.json`]}>
      <p>
        Create an item with the button “New”, load a dump, or write with any AWS SDK at the DynamoDB endpoint.
      </p>
    </EmptyState>
  );
}
