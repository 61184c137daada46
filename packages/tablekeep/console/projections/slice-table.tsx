import type { VNode } from "preact";
import { placeOf } from "../shell/route.ts";
import {
  changeProjection,
  type FailedEvent,
  type ProjectionTarget,
  type RunChange,
  type SliceStatus,
} from "./projections-api.ts";

export interface StoppedSlicesProps {
  readonly target: ProjectionTarget;
  readonly slices: readonly SliceStatus[];
  readonly run: RunChange;
}

/** The events that stopped slices of a projection. */
export function StoppedSlices({ target, slices, run }: StoppedSlicesProps): VNode {
  return (
    <>
      {slices.map(
        ({ slice, failed }) =>
          failed !== undefined && (
            <Stopped key={slice} target={target} slice={slice} failed={failed} run={run} />
          ),
      )}
    </>
  );
}

/** The position of each slice of a projection. */
export function SliceTable({ slices }: { readonly slices: readonly SliceStatus[] }): VNode {
  return (
    <details class="projection-slices">
      <summary>{slices.length.toLocaleString()} slices</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <div class="projection-table" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Slice</th>
              <th>Position</th>
              <th>Behind</th>
              <th>Applied by</th>
              <th>Error</th>
            </tr>
          </thead>
          <tbody>
            {slices.map(({ slice, offset, events, lagEvents, owner, error, failed }) => (
              <tr key={slice}>
                <td>{slice}</td>
                <td>
                  {offset.toLocaleString()} of {events.toLocaleString()}
                </td>
                <td>{lagEvents.toLocaleString()}</td>
                <td>{owner === undefined ? <span class="dim">no process</span> : <code>{owner}</code>}</td>
                <td>{failed?.error ?? error}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

interface StoppedProps {
  readonly target: ProjectionTarget;
  readonly slice: number;
  readonly failed: FailedEvent;
  readonly run: RunChange;
}

function Stopped({ target, slice, failed, run }: StoppedProps): VNode {
  const { persistenceId, sequenceNr, error } = failed;
  const name = `${persistenceId} · ${sequenceNr}`;
  const question = {
    title: `Skip ${name}?`,
    text: "The projection never applies this event, and continues with the next one of the slice.",
    action: "Skip",
  };
  return (
    <div class="projection-error">
      <p>
        <strong>Slice {slice} is stopped</strong> at{" "}
        <a href={placeOf(["journal", target.journal, persistenceId, "events", String(sequenceNr)])}>
          <bdi>{persistenceId}</bdi> · {sequenceNr}
        </a>
        : {error}
      </p>
      <button
        type="button"
        aria-label={`Skip ${name}`}
        onClick={() => void run(() => changeProjection(target, "skip", { slice }), "Skipped", question)}
      >
        Skip…
      </button>
    </div>
  );
}
