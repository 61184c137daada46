import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError } from "../../api/call-api.ts";
import { isNotFound, useAnswer } from "../../api/use-answer.ts";
import { AnswerView } from "../../parts/answer-view.tsx";
import { Detail, Facts } from "../../parts/detail.tsx";
import { showSize } from "../../parts/show-values.ts";
import { SplitView } from "../../parts/split-view.tsx";
import { confirmed } from "../../shell/confirm.tsx";
import { placeOf } from "../../shell/route.ts";
import { tellFailure, tellSuccess } from "../../shell/toasts.tsx";
import { goTo } from "../../shell/use-route.ts";
import type { TableFacts } from "../api/table-facts.ts";
import { makeUndoable } from "../api/table-undo.ts";
import { deleteTable, fetchTable } from "../api/tables-api.ts";
import { StreamChoice, TimeToLiveChoice } from "./table-choices.tsx";
import { keyName, TableIndexes } from "./table-indexes.tsx";
import { TableTransfer } from "./table-transfer.tsx";

export interface TableSummaryProps {
  readonly table: string;
  readonly head: VNode;
  /** Increases with each change that is undone. */
  readonly undone: number;
  /** Called when it has other indexes or settings. */
  readonly onChanged: () => void;
}

/** Facts about a table, and actions on the whole table. */
export function TableSummary({ table, head, undone, onChanged }: TableSummaryProps): VNode {
  const [round, setRound] = useState(0);
  const answer = useAnswer((signal) => fetchTable(table, signal), [table, round, undone]);
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
                actions={facts.readOnly !== true && <DeleteTable facts={facts} />}
              >
                {facts.readOnly !== true && facts.undo !== true && (
                  <p class="dim">
                    Nothing done on this page can be undone, because the data is in another DynamoDB.
                  </p>
                )}
                <TableTold facts={facts} undone={undone} onChanged={readAgain} />
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

function DeleteTable({ facts }: { readonly facts: TableFacts }): VNode {
  const { name: table } = facts;
  const ask = (text: string) => confirmed({ title: `Delete the table ${table}?`, text, action: "Delete" });
  const removeForGood = async (reason: string) => {
    if (!(await ask(`All of its items will be deleted. This cannot be undone: ${reason}.`))) return false;
    await deleteTable(table);
    return true;
  };
  const removeUndoable = async () => {
    if (!(await ask("All of its items will be deleted. You can undo this until the server stops.")))
      return false;
    try {
      const change = { table, what: `deletion of ${table}`, isDeletion: true } as const;
      await makeUndoable(change, (undo) => deleteTable(table, undo));
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
      return removeForGood("the table is too large for the server to keep");
    }
  };
  const remove = async () => {
    try {
      const isDeleted = await (facts.undo === true
        ? removeUndoable()
        : removeForGood("the data is in another DynamoDB"));
      if (!isDeleted) return;
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
  readonly undone: number;
  readonly onChanged: () => void;
}

function TableTold({ facts, undone, onChanged }: TableToldProps): VNode {
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
          "Time to live": <TimeToLiveChoice key={undone} facts={facts} />,
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
