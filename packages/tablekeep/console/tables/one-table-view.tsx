import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { ListHead } from "../parts/list-head.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { useKeys } from "../shell/keys.ts";
import { placeOf } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { useStore } from "../shell/use-store.ts";
import { itemChanges, undoLast } from "./item-changes.ts";
import { ItemDetail } from "./item-detail.tsx";
import { ItemList } from "./item-list.tsx";
import { addressOfQuery, type ItemsQuery, keyOfItem, queryOfAddress, requestOfQuery } from "./items-query.ts";
import { NewItem } from "./new-item.tsx";
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
  const place = (part: string) => placeOf(["tables", facts.name, part], addressOfQuery(asked));
  const back = placeOf(["tables", facts.name], addressOfQuery(asked));
  const onChanged = () => setRound(round + 1);
  const summary = <TableSummary table={facts.name} cost={cost} asked={asked} back={back} />;
  return (
    <SplitView
      tools={
        <>
          <ListHead title={facts.name} up={placeOf(["tables"])}>
            <a class="button narrow-only" href={place("about")}>
              About
            </a>
            {facts.readOnly !== true && (
              <ChangeTools table={facts.name} newItem={place("new")} onChanged={onChanged} />
            )}
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
          openKey={itemKey === "about" || itemKey === "new" ? undefined : itemKey}
          cost={cost}
        />
      }
      detail={
        itemKey === undefined ? undefined : itemKey === "about" ? (
          summary
        ) : itemKey === "new" ? (
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
            key={itemKey}
            table={facts.name}
            itemKey={itemKey}
            back={back}
            canChange={facts.readOnly !== true}
            round={round}
            onChanged={onChanged}
          />
        )
      }
      nothingOpen={summary}
    />
  );
}

interface ChangeToolsProps {
  readonly table: string;
  /** The address of the editor of a new item. */
  readonly newItem: string;
  readonly onChanged: () => void;
}

function ChangeTools({ table, newItem, onChanged }: ChangeToolsProps): VNode {
  const canUndo = useStore(itemChanges).some((change) => change.table === table);
  const undo = async () => {
    if (await undoLast(table)) onChanged();
  };
  useKeys({
    c: { does: "Create an item", run: () => goTo(newItem) },
    z: { does: "Undo the last change of an item", run: () => void undo() },
  });
  return (
    <>
      {canUndo && (
        <button type="button" onClick={() => void undo()}>
          Undo
        </button>
      )}
      <a class="button" href={newItem}>
        New
      </a>
    </>
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
