import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { useRows } from "../list/use-rows.ts";
import { ListHead } from "../parts/list-head.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { placeOf } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { EventDetail } from "./event-detail.tsx";
import { EventList } from "./event-list.tsx";
import { eventRows } from "./event-rows.ts";
import { fetchSnapshots, idPath } from "./journal-api.ts";
import { SnapshotDetail } from "./snapshot-detail.tsx";
import { SnapshotList } from "./snapshot-list.tsx";
import { useLiveTail } from "./use-live-tail.ts";

export interface OneIdViewProps {
  readonly journal: string;
  readonly id: string;
  readonly kind: "events" | "snapshots";
  /** The number of the event or snapshot that is open. */
  readonly number: number | undefined;
}

/** One persistence id: its events or snapshots, and the one that is open. */
export function OneIdView({ journal, id, kind, number }: OneIdViewProps): VNode {
  const path = idPath(journal, id);
  const place = ["journal", journal, id];
  const rows = useRows(() => eventRows(path), [path]);
  const [isLive, setIsLive] = useState(true);
  useLiveTail(path, rows, isLive);
  const snapshots = useAnswer((signal) => fetchSnapshots(path, signal), [path, kind]);
  const list = placeOf([...place, kind]);
  return (
    <SplitView
      tools={
        <>
          <ListHead title={id} up={placeOf(["journal", journal])}>
            <label class="switch">
              <input
                type="checkbox"
                checked={isLive}
                onChange={({ currentTarget }) => setIsLive(currentTarget.checked)}
              />
              Live
            </label>
          </ListHead>
          <Tabs
            label="List"
            tabs={[
              { name: "events", title: "Events" },
              { name: "snapshots", title: "Snapshots" },
            ]}
            chosen={kind}
            onChoose={(chosen) => goTo(placeOf([...place, chosen]))}
          />
        </>
      }
      list={
        kind === "events" ? (
          <EventList rows={rows} place={place} open={number} />
        ) : (
          <SnapshotList answer={snapshots} place={place} open={number} />
        )
      }
      detail={
        number === undefined ? undefined : kind === "events" ? (
          <EventDetail path={path} sequenceNr={number} highest={rows.highest()} back={list} />
        ) : (
          <SnapshotDetail path={path} sequenceNr={number} back={list} known={snapshots} />
        )
      }
      nothingOpen={kind === "events" ? "Select an event" : "Select a snapshot"}
    />
  );
}
