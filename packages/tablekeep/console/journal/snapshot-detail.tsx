import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { type Answer, useAnswer } from "../api/use-answer.ts";
import { DiffView } from "../json/diff-view.tsx";
import { PayloadView } from "../json/payload-view.tsx";
import { AnswerView } from "../parts/answer-view.tsx";
import { Detail, Facts } from "../parts/detail.tsx";
import { longTime } from "../parts/show-values.ts";
import { Tabs } from "../parts/tabs.tsx";
import { useKeys } from "../shell/keyboard.ts";
import { goTo } from "../shell/use-route.ts";
import { fetchSnapshot, type SnapshotEntry } from "./journal-api.ts";

export interface SnapshotDetailProps {
  readonly path: string;
  readonly sequenceNr: number;
  readonly back: string;
  readonly known: Answer<readonly SnapshotEntry[]>;
}

/** One snapshot: its state, and its differences from the previous snapshot. */
export function SnapshotDetail({ path, sequenceNr, back, known }: SnapshotDetailProps): VNode {
  const [tab, setTab] = useState<"state" | "changes">("state");
  useKeys({
    Escape: { does: "Close", run: () => goTo(back) },
    d: {
      does: "Switch between content and differences",
      run: () => setTab(tab === "state" ? "changes" : "state"),
    },
  });
  const answer = useAnswer((signal) => fetchSnapshot(path, sequenceNr, signal), [`${path} ${sequenceNr}`]);
  const entries = known.kind === "ready" ? known.value : [];
  const before = entries.find((entry) => entry.sequenceNr < sequenceNr)?.sequenceNr;
  return (
    <Detail title={`Snapshot at ${sequenceNr}`} back={back}>
      <AnswerView answer={answer}>
        {(snapshot) => (
          <>
            <Facts
              facts={{ Saved: longTime(snapshot.timestamp), Serializer: String(snapshot.serializerId) }}
            />
            <Tabs
              label="Views of the snapshot"
              tabs={[
                { name: "state", title: "State" },
                {
                  name: "changes",
                  title: before === undefined ? "Differences" : `Differences from ${before}`,
                  disabled: before === undefined,
                },
              ]}
              chosen={before === undefined ? "state" : tab}
              onChoose={setTab}
            />
            <div role="tabpanel">
              {tab === "changes" && before !== undefined ? (
                <SnapshotDifferences path={path} before={before} after={snapshot.state} />
              ) : (
                <PayloadView value={snapshot.state} form={snapshot.stateForm} label="State" />
              )}
            </div>
          </>
        )}
      </AnswerView>
    </Detail>
  );
}

function SnapshotDifferences({
  path,
  before,
  after,
}: {
  readonly path: string;
  readonly before: number;
  readonly after: unknown;
}): VNode {
  const older = useAnswer((signal) => fetchSnapshot(path, before, signal), [`${path} ${before}`]);
  return (
    <AnswerView answer={older}>
      {({ state }) => <DiffView before={state} after={after} label="Differences" />}
    </AnswerView>
  );
}
