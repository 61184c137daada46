import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isNotFound, useAnswer } from "../api/use-answer.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { showSize } from "../parts/show-values.ts";
import { SplitView } from "../parts/split-view.tsx";
import { confirmed } from "../shell/confirm.tsx";
import { placeOf } from "../shell/route.ts";
import { tellFailure, tellSuccess } from "../shell/toasts.tsx";
import { goTo } from "../shell/use-route.ts";
import { StreamChoice, TimeToLiveChoice } from "./table-choices.tsx";
import type { TableFacts } from "./table-facts.ts";
import { keyName, TableIndexes } from "./table-indexes.tsx";
import { TableTransfer } from "./table-transfer.tsx";
import { deleteTable, fetchTable } from "./tables-api.ts";

export interface TableSummaryProps {
  readonly table: string;
  readonly head: VNode;
  /** Called when it has other indexes or settings. */
  readonly onChanged: () => void;
}

/** What is known of a table, and what can be done with all of it. */
export function TableSummary({ table, head, onChanged }: TableSummaryProps): VNode {
  const [round, setRound] = useState(0);
  const answer = useAnswer((signal) => fetchTable(table, signal), [table, round]);
  useEffect(() => {
    if (isNotFound(answer)) onChanged();
  }, [answer]);
  const readAgain = () => {
    setRound((last) => last + 1);
    onChanged();
  };
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
                <TableTold facts={facts} onChanged={readAgain} />
                <TableTransfer facts={facts} onImported={() => setRound((last) => last + 1)} />
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

interface TableToldProps {
  readonly facts: TableFacts;
  readonly onChanged: () => void;
}

function TableTold({ facts, onChanged }: TableToldProps): VNode {
  const { partition, sort, status, itemCount, sizeBytes, billing, used, browsed, reason } = facts;
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
          Stream: <StreamChoice facts={facts} onChanged={onChanged} />,
          "Time to live": <TimeToLiveChoice facts={facts} />,
          "Read-only": reason,
        }}
      />
      <h2>Used since the server started</h2>
      <Facts
        facts={{
          Requests: used.requests.toLocaleString(),
          Failures: used.failures.toLocaleString(),
          "Read units": used.readUnits.toLocaleString(),
          "Write units": used.writeUnits.toLocaleString(),
          "Read units used by the console": browsed.readUnits.toLocaleString(),
        }}
      />
      <TableIndexes facts={facts} onChanged={onChanged} />
    </>
  );
}
