import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { showSize } from "../parts/show-values.ts";
import { SplitView } from "../parts/split-view.tsx";
import { confirmed } from "../shell/confirm.tsx";
import { placeOf } from "../shell/route.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { goTo } from "../shell/use-route.ts";
import type { IndexFacts, KeyFact, TableFacts } from "./table-facts.ts";
import { TableTransfer } from "./table-transfer.tsx";
import { deleteTable, fetchTable } from "./tables-api.ts";

const typeNames = { S: "string", N: "number", B: "bytes" };

export interface TableSummaryProps {
  readonly table: string;
  readonly head: VNode;
}

/** What is known of a table, and what can be done with all of it. */
export function TableSummary({ table, head }: TableSummaryProps): VNode {
  const [round, setRound] = useState(0);
  const answer = useAnswer((signal) => fetchTable(table, signal), [table, round]);
  return (
    <SplitView
      tools={head}
      list={
        <div class="about">
          <AnswerView answer={answer}>
            {(facts) => (
              <Detail
                title={table}
                back={placeOf(["tables", table])}
                actions={facts.readOnly !== true && <DeleteTable table={table} />}
              >
                <TableTold facts={facts} />
                <TableTransfer facts={facts} onImported={() => setRound(round + 1)} />
              </Detail>
            )}
          </AnswerView>
        </div>
      }
      detail={undefined}
    />
  );
}

function DeleteTable({ table }: { readonly table: string }): VNode {
  const remove = async () => {
    const question = {
      title: `Delete the table ${table}?`,
      text: "All of its items will be deleted. This cannot be undone.",
      action: "Delete",
    };
    if (!(await confirmed(question))) return;
    try {
      await deleteTable(table);
      tellSuccess(`Deleted ${table}`);
      goTo(placeOf(["tables"]));
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <button type="button" class="danger" onClick={() => void remove()}>
      Delete the table
    </button>
  );
}

function TableTold({ facts }: { readonly facts: TableFacts }): VNode {
  const { partition, sort, status, itemCount, sizeBytes, billing, indexes, used, browsed, stream, reason } =
    facts;
  return (
    <>
      <Facts
        facts={{
          "Partition key": keyName(partition),
          "Sort key": sort && keyName(sort),
          Items: itemCount.toLocaleString(),
          Size: showSize(sizeBytes),
          Capacity: billing,
          Status: status,
          Stream: stream,
          "Read-only": reason,
        }}
      />
      <h2>Used since the server started</h2>
      <Facts
        facts={{
          Requests: used.requests.toLocaleString(),
          Failures: used.failures.toLocaleString(),
          "Read units": used.readUnits?.toLocaleString(),
          "Write units": used.writeUnits?.toLocaleString(),
          "Read units used by the console": browsed.readUnits.toLocaleString(),
        }}
      />
      <h2>Indexes</h2>
      {indexes.length === 0 ? <p class="dim">None.</p> : <IndexTable indexes={indexes} />}
    </>
  );
}

function IndexTable({ indexes }: { readonly indexes: readonly IndexFacts[] }): VNode {
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
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function keyName({ name, type }: KeyFact): VNode {
  return (
    <>
      <code>{name}</code> <span class="dim">{typeNames[type]}</span>
    </>
  );
}
