import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { ListHead } from "../parts/list-head.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { placeOf } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { ItemDetail } from "./item-detail.tsx";
import { ItemList } from "./item-list.tsx";
import { addressOfQuery, type ItemsQuery, keyOfItem, queryOfAddress, requestOfQuery } from "./items-query.ts";
import { QueryForm } from "./query-form.tsx";
import type { ReadCost, TableFacts, WireItem } from "./table-facts.ts";
import { TableSummary } from "./table-summary.tsx";
import { fetchItems, fetchTable } from "./tables-api.ts";

export interface OneTableViewProps {
  readonly table: string;
  /** The item that is open, by its key in DynamoDB's JSON. */
  readonly itemKey: string | undefined;
  readonly query: URLSearchParams;
}

/** One table: its items by query or scan, and the one that is open. */
export function OneTableView({ table, itemKey, query }: OneTableViewProps): VNode {
  const facts = useAnswer((signal) => fetchTable(table, signal), [table]);
  return (
    <AnswerView answer={facts}>
      {(known) => <KnownTable facts={known} itemKey={itemKey} query={query} />}
    </AnswerView>
  );
}

interface KnownTableProps extends Omit<OneTableViewProps, "table"> {
  readonly facts: TableFacts;
}

function KnownTable({ facts, itemKey, query }: KnownTableProps): VNode {
  const address = query.toString();
  const asked = useMemo(() => queryOfAddress(query), [address]);
  const [round, setRound] = useState(0);
  const { rows, cost } = useItems(facts, asked, round);
  const runQuery = (next: ItemsQuery) => {
    const place = placeOf(["tables", facts.name], addressOfQuery(next));
    if (location.hash === place) setRound(round + 1);
    else goTo(place);
  };
  const back = placeOf(["tables", facts.name], addressOfQuery(asked));
  return (
    <SplitView
      tools={
        <>
          <ListHead title={facts.name} up={placeOf(["tables"])}>
            <a
              class="button narrow-only"
              href={placeOf(["tables", facts.name, "about"], addressOfQuery(asked))}
            >
              About
            </a>
          </ListHead>
          <QueryForm key={address} facts={facts} asked={asked} onAsk={runQuery} />
        </>
      }
      list={
        <ItemList
          key={address}
          facts={facts}
          rows={rows}
          asked={asked}
          openKey={itemKey === "about" ? undefined : itemKey}
          cost={cost}
        />
      }
      detail={
        itemKey === undefined ? undefined : itemKey === "about" ? (
          <TableSummary table={facts.name} cost={cost} back={back} />
        ) : (
          <ItemDetail table={facts.name} itemKey={itemKey} back={back} />
        )
      }
      nothingOpen={<TableSummary table={facts.name} cost={cost} back={back} />}
    />
  );
}

function useItems(facts: TableFacts, asked: ItemsQuery, round: number) {
  const [cost, setCost] = useState<ReadCost>({ items: 0, scanned: 0, readUnits: 0 });
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
          return { rows: page.items, next: page.next };
        },
      }),
    [facts, asked, round],
  );
  return { rows, cost };
}
