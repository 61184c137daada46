import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../api/call-api.ts";
import { useAnswer } from "../api/use-answer.ts";
import { shortJson } from "../json/short-json.ts";
import { AnswerView } from "../parts/answer-view.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { longTime } from "../parts/show-values.ts";
import { goTo } from "../shell/use-route.ts";
import { fetchHistory, type HistoryEntry, type ValueChange } from "./history-api.ts";
import type { ShadowName, ShadowView } from "./shadow-api.ts";
import { ShadowAt } from "./shadow-at.tsx";

export interface HistoryViewProps {
  readonly shadow: ShadowName;
  /** The current shadow. */
  readonly current: ShadowView;
  /** The open version or time; "" for none. */
  readonly at: string;
  readonly placeOfPoint: (at: string) => string;
}

/** The timeline of a shadow: its versions, newest first, and the open one. */
export function HistoryView({ shadow, current, at, placeOfPoint }: HistoryViewProps): VNode {
  // The first page is read again with every version; pages behind it stay.
  const first = useAnswer(
    (signal) => fetchHistory(shadow, "", signal),
    [`${shadow.store} ${shadow.thing} ${shadow.name}`, current.version],
  );
  if (first.kind === "failed" && first.error instanceof ApiError && first.error.code === "SHADOW_HISTORY_OFF")
    return (
      <EmptyState title="No history is kept" commands={["npx tablekeep serve --shadow-history 1000"]}>
        <p>With a history, every version of a shadow is kept, with what it changed:</p>
      </EmptyState>
    );
  return (
    <AnswerView answer={first}>
      {({ entries, gap, next }) => (
        <div class="history">
          <div class="history-list">
            <PointBox at={at} onPoint={(point) => goTo(placeOfPoint(point))} />
            {gap && <p class="dim">Newer versions were written without history.</p>}
            <TimeLine key={next} {...{ shadow, entries, next, at, placeOfPoint }} />
          </div>
          {at === "" ? (
            <p class="dim">Select a version to see the shadow as it was.</p>
          ) : (
            <ShadowAt key={at} shadow={shadow} point={at} current={current} />
          )}
        </div>
      )}
    </AnswerView>
  );
}

interface PointBoxProps {
  readonly at: string;
  readonly onPoint: (point: string) => void;
}

function PointBox({ at, onPoint }: PointBoxProps): VNode {
  const [fault, setFault] = useState("");
  const go = (typed: string) => {
    const time = /^\d{1,15}$/.test(typed) ? undefined : Date.parse(typed);
    const isValid = typed !== "" && !Number.isNaN(time);
    setFault(isValid ? "" : "Type a version, or a time such as 2026-01-31 14:05.");
    if (isValid) onPoint(time === undefined ? typed : new Date(time).toISOString());
  };
  return (
    <form
      class="query-box"
      onSubmit={(event) => {
        event.preventDefault();
        const box = event.currentTarget.elements.namedItem("point");
        if (box instanceof HTMLInputElement) go(box.value.trim());
      }}
    >
      <input
        name="point"
        aria-label="Go to a version or time"
        placeholder="Version or time"
        defaultValue={at}
        aria-invalid={fault !== ""}
        aria-describedby="point-fault"
      />
      <button type="submit">Go</button>
      <span id="point-fault" class="fault" role="status">
        {fault}
      </span>
    </form>
  );
}

interface TimeLineProps extends Pick<HistoryViewProps, "shadow" | "at" | "placeOfPoint"> {
  readonly entries: readonly HistoryEntry[];
  readonly next?: string;
}

/** Versions; each further page is shown on request. */
function TimeLine({ shadow, entries, next, at, placeOfPoint }: TimeLineProps): VNode {
  const [wantsMore, setWantsMore] = useState(false);
  const more = useAnswer(
    async (signal) =>
      wantsMore && next !== undefined ? fetchHistory(shadow, next, signal) : { entries: [], next: undefined },
    [next ?? "", wantsMore],
  );
  return (
    <>
      <ol class="time-line" aria-label="Versions, newest first">
        {entries.map((entry) => (
          <Entry
            key={entry.version}
            entry={entry}
            isOpen={at === String(entry.version)}
            {...{ placeOfPoint }}
          />
        ))}
      </ol>
      {next !== undefined && !wantsMore && (
        <button type="button" onClick={() => setWantsMore(true)}>
          Show older versions
        </button>
      )}
      {wantsMore && (
        <AnswerView answer={more}>
          {(page) => (
            <TimeLine
              key={page.next}
              entries={page.entries}
              next={page.next}
              {...{ shadow, at, placeOfPoint }}
            />
          )}
        </AnswerView>
      )}
    </>
  );
}

interface EntryProps extends Pick<HistoryViewProps, "placeOfPoint"> {
  readonly entry: HistoryEntry;
  readonly isOpen: boolean;
}

/** Changes that a row names. */
const maxChanges = 3;

function Entry({ entry, isOpen, placeOfPoint }: EntryProps): VNode {
  const { version, timestamp, kind, changes, gap } = entry;
  return (
    <li>
      <a href={placeOfPoint(String(version))} aria-current={isOpen ? "true" : undefined}>
        <span class="row-line">
          <strong>
            <span class="number">{version}</span> {kind === "deleted" ? "deleted" : ""}
          </strong>
          <small>{longTime(timestamp)}</small>
        </span>
        {changes.slice(0, maxChanges).map((change) => (
          <code key={change.path}>{changeText(change)}</code>
        ))}
        {changes.length > maxChanges && <small>and {changes.length - maxChanges} more</small>}
        {gap && <small class="dim">versions before this one are missing</small>}
      </a>
    </li>
  );
}

const maxCharacters = 60;

/** `/reported/on: false → true`. */
function changeText({ path, before, after }: ValueChange): string {
  const show = (value: unknown) => (value === undefined ? "∅" : shortJson(value, maxCharacters));
  return `${path}: ${show(before)} → ${show(after)}`;
}
