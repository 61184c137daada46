import type { VNode } from "preact";
import type { Answer } from "../api/use-answer.ts";
import { cursorRows } from "../list/cursor-rows.ts";
import { useRows } from "../list/use-rows.ts";
import { VirtualList } from "../list/virtual-list.tsx";
import { AnswerView } from "../parts/answer-view.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { longTime } from "../parts/show-values.ts";
import { placeOf } from "../shell/route.ts";
import type { SnapshotEntry } from "./journal-api.ts";

export interface SnapshotListProps {
  readonly answer: Answer<readonly SnapshotEntry[]>;
  /** The parts of the address of the id. */
  readonly place: readonly string[];
  readonly open: number | undefined;
}

const keyOf = ({ sequenceNr }: SnapshotEntry) => String(sequenceNr);

/** The snapshots of an id, newest first. */
export function SnapshotList({ answer, ...rest }: SnapshotListProps): VNode {
  return (
    <AnswerView answer={answer}>{(entries) => <KnownSnapshots entries={entries} {...rest} />}</AnswerView>
  );
}

function KnownSnapshots({
  entries,
  place,
  open,
}: Omit<SnapshotListProps, "answer"> & { readonly entries: readonly SnapshotEntry[] }): VNode {
  const rows = useRows(() => cursorRows({ keyOf, fetchPage: async () => ({ rows: entries }) }), [entries]);
  return (
    <VirtualList
      rows={rows}
      label="Snapshots, newest first"
      rowHeight={42}
      keyOf={keyOf}
      hrefOf={(entry) => placeOf([...place, "snapshots", keyOf(entry)])}
      openKey={open === undefined ? undefined : String(open)}
      renderRow={({ sequenceNr, timestamp }) => (
        <span class="row-line">
          <strong>
            <span class="number">{sequenceNr}</span>
          </strong>
          <small>{longTime(timestamp)}</small>
        </span>
      )}
      empty={
        <EmptyState title="No snapshots">
          <p>
            Applications save them: entities do so by themselves, other programs with{" "}
            <code>snapshots.save(id, sequenceNr, state)</code>.
          </p>
        </EmptyState>
      }
    />
  );
}
