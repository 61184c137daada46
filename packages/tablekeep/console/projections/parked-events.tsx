import type { VNode } from "preact";
import { shortTime } from "../parts/show-values.ts";
import { placeOf } from "../shell/route.ts";
import {
  changeProjection,
  type ParkedEvent,
  type ProjectionTarget,
  type RunChange,
} from "./projections-api.ts";

export interface ParkedEventsProps {
  readonly target: ProjectionTarget;
  readonly parked: readonly ParkedEvent[];
  /** How many there are, shown or not. */
  readonly total: number;
  readonly run: RunChange;
}

/** The events that a projection has parked, with their errors. */
export function ParkedEvents({ target, parked, total, run }: ParkedEventsProps): VNode {
  if (total === 0)
    return (
      <>
        <h2>Parked events</h2>
        <p class="dim">None. Events that fail in every attempt appear here if the projection parks them.</p>
      </>
    );
  const dropping = { title: "Drop all parked events?", text: dropText, action: "Drop all" };
  return (
    <>
      <div class="projection-head">
        <h2>Parked events</h2>
        <button
          type="button"
          onClick={() =>
            void run(() => changeProjection(target, "parked/retry"), "Will be applied again soon")
          }
        >
          Retry all
        </button>
        <button
          type="button"
          class="danger"
          onClick={() =>
            void run(() => changeProjection(target, "parked/drop", { all: true }), "Dropped", dropping)
          }
        >
          Drop all…
        </button>
      </div>
      <ul class="parked-events" aria-label="Parked events">
        {parked.map((event) => (
          <Parked key={`${event.slice}:${event.offset}`} target={target} event={event} run={run} />
        ))}
      </ul>
      {total > parked.length && (
        <p class="dim">
          {parked.length.toLocaleString()} of {total.toLocaleString()} are shown.
        </p>
      )}
    </>
  );
}

const dropText =
  "The projection never applies them. They stay in the journal: rewinding the projection applies them again.";

function Parked({
  target,
  event,
  run,
}: {
  readonly target: ProjectionTarget;
  readonly event: ParkedEvent;
  readonly run: RunChange;
}): VNode {
  const { persistenceId, sequenceNr, error, at, retry, slice, offset } = event;
  const name = `${persistenceId} · ${sequenceNr}`;
  const href = placeOf(["journal", target.journal, persistenceId, "events", String(sequenceNr)]);
  const dropping = { title: `Drop ${name}?`, text: dropText, action: "Drop" };
  return (
    <li>
      <div class="row-line">
        <a class="grow" href={href}>
          {name}
        </a>
        {retry && <span class="badge">retry pending</span>}
        <small>{shortTime(at)}</small>
      </div>
      <p class="parked-error">{error}</p>
      <div class="parked-actions">
        <button
          type="button"
          aria-label={`Retry the events of ${persistenceId}`}
          onClick={() =>
            void run(
              () => changeProjection(target, "parked/retry", { persistenceId }),
              "Will be applied again soon",
            )
          }
        >
          Retry
        </button>
        <button
          type="button"
          aria-label={`Drop ${name}`}
          onClick={() =>
            void run(
              () => changeProjection(target, "parked/drop", { event: { slice, offset } }),
              "Dropped",
              dropping,
            )
          }
        >
          Drop…
        </button>
      </div>
    </li>
  );
}
