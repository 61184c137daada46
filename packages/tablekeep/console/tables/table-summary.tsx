import type { VNode } from "preact";
import { useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { showSize } from "../parts/show-size.ts";
import type { IndexFacts, KeyFact, ReadCost, TableFacts } from "./table-facts.ts";
import { fetchTable } from "./tables-api.ts";

const typeNames = { S: "text", N: "number", B: "bytes" };

export interface TableSummaryProps {
  readonly table: string;
  readonly cost: ReadCost;
  readonly back: string;
}

/** What is known of a table; read again with every query, since that adds to what was used. */
export function TableSummary({ table, cost, back }: TableSummaryProps): VNode {
  const answer = useAnswer((signal) => fetchTable(table, signal), [table, cost]);
  return (
    <Detail title={table} back={back}>
      <AnswerView answer={answer}>{(facts) => <TableTold facts={facts} />}</AnswerView>
    </Detail>
  );
}

function TableTold({ facts }: { readonly facts: TableFacts }): VNode {
  const { partition, sort, status, itemCount, sizeBytes, billing, indexes, used, browsed } = facts;
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
