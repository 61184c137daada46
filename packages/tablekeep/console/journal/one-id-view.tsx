import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { useLiveEvents } from "../api/use-live-events.ts";
import { useRows } from "../list/use-rows.ts";
import { FilterBox } from "../parts/filter-box.tsx";
import { ListHead } from "../parts/list-head.tsx";
import { SplitView } from "../parts/split-view.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { placeOf } from "../shell/route.ts";
import { goTo } from "../shell/use-route.ts";
import { useStore } from "../shell/use-store.ts";
import { EventDetail, type EventTab } from "./event-detail.tsx";
import { EventList } from "./event-list.tsx";
import { type EventRows, eventRows } from "./event-rows.ts";
import { filteredEventRows } from "./filtered-event-rows.ts";
import { GoToEvent } from "./go-to-event.tsx";
import { fetchSnapshots, idPath, type JournalFacts } from "./journal-api.ts";
import { SnapshotDetail } from "./snapshot-detail.tsx";
import { SnapshotList } from "./snapshot-list.tsx";
import { VerifyPanel } from "./verify-panel.tsx";

export interface OneIdViewProps {
  readonly facts: JournalFacts;
  readonly id: string;
  readonly kind: "events" | "snapshots";
  /** The sequence number of the open event or snapshot. */
  readonly number: number | undefined;
  /** `q` filters the events, `view` is what is shown of one, `from` the sequence number that its state is compared with. */
  readonly query: URLSearchParams;
}

/** One persistence id: its events or snapshots, and the open one. */
export function OneIdView({ facts, id, kind, number, query }: OneIdViewProps): VNode {
  const journal = facts.name;
  const path = idPath(journal, id);
  const place = ["journal", journal, id];
  const [filter, tab] = [query.get("q") ?? "", tabOf(query.get("view"))];
  const compared = numberOf(query.get("from"));
  const rows = useRows(
    () => (filter === "" ? eventRows(path) : filteredEventRows(path, filter)),
    [path, filter],
  );
  const [isLive, setIsLive] = useState(true);
  useLiveTail(path, rows, isLive);
  const snapshots = useAnswer((signal) => fetchSnapshots(path, signal), [path, kind]);
  const list = placeOf([...place, kind], kind === "events" ? { q: filter } : {});
  const placeOfEvent = (sequenceNr: number, view: EventTab, from?: number) =>
    placeOf([...place, "events", String(sequenceNr)], {
      q: filter,
      view: view === "payload" ? "" : view,
      from: view === "state" && from !== undefined ? String(from) : "",
    });
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
          <IdTools
            {...{ path, place, kind, filter }}
            onFound={(found) => goTo(placeOfEvent(found, tab, compared))}
          />
        </>
      }
      list={
        kind === "events" ? (
          <EventList
            key={filter}
            rows={rows}
            filter={filter}
            placeOfEvent={(sequenceNr) => placeOfEvent(sequenceNr, tab, compared)}
            open={number}
          />
        ) : (
          <SnapshotList answer={snapshots} place={place} open={number} />
        )
      }
      detail={
        number === undefined ? undefined : kind === "events" ? (
          <EventDetail
            facts={facts}
            path={path}
            sequenceNr={number}
            lowest={rows.lowest()}
            highest={rows.highest()}
            snapshots={snapshots.kind === "ready" ? snapshots.value.map((each) => each.sequenceNr) : []}
            tab={tab}
            compared={compared}
            back={list}
            placeOfEvent={placeOfEvent}
          />
        ) : (
          <SnapshotDetail path={path} sequenceNr={number} back={list} known={snapshots} />
        )
      }
      nothingOpen={<IdSummary facts={facts} id={id} kind={kind} />}
    />
  );
}

function IdSummary({ facts, id, kind }: Pick<OneIdViewProps, "facts" | "id" | "kind">): VNode {
  return (
    <div class="id-summary">
      <p>{kind === "events" ? "Select an event" : "Select a snapshot"}</p>
      <VerifyPanel journal={facts} id={id} />
    </div>
  );
}

interface IdToolsProps {
  readonly path: string;
  /** The parts of the address of the id. */
  readonly place: readonly string[];
  readonly kind: "events" | "snapshots";
  readonly filter: string;
  readonly onFound: (sequenceNr: number) => void;
}

function IdTools({ path, place, kind, filter, onFound }: IdToolsProps): VNode {
  return (
    <>
      <Tabs
        label="List"
        tabs={[
          { name: "events", title: "Events" },
          { name: "snapshots", title: "Snapshots" },
        ]}
        chosen={kind}
        onChoose={(chosen) => goTo(placeOf([...place, chosen]))}
      />
      {kind === "events" && (
        <>
          <GoToEvent path={path} onFound={onFound} />
          <FilterBox
            label="Filter events: text, type:…, tag:…"
            value={filter}
            onChange={(q) => goTo(placeOf([...place, "events"], { q }), { replace: true })}
          />
        </>
      )}
    </>
  );
}

function numberOf(text: string | null): number | undefined {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined;
}

function tabOf(view: string | null): EventTab {
  return view === "changes" || view === "state" ? view : "payload";
}

/** Adds events on top of the list as any writer appends them. */
function useLiveTail(path: string, rows: EventRows, isLive: boolean): void {
  const isRead = useStore(rows.list.state).count !== undefined;
  const [from, setFrom] = useState<number>();
  useEffect(() => {
    // Events appended between reading the list and opening the stream are in the stream.
    setFrom(isRead && isLive ? rows.highest() + 1 : undefined);
  }, [isRead, isLive, rows]);
  const url = from === undefined ? undefined : `${path}/events/live?from=${from}`;
  useLiveEvents(url, ["event"], {
    onEvent: (data) => rows.arrive(JSON.parse(data)),
    onResume: () => rows.list.reload(),
  });
}
