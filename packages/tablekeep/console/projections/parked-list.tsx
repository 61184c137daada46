import type { VNode } from "preact";
import { shortTime } from "../parts/show-values.ts";
import { placeOf } from "../shell/route.ts";
import {
  changeProjection,
  type ParkedEvent,
  type ProjectionFacts,
  type ProjectionTarget,
  type RunChange,
} from "./projections-api.ts";

export interface ParkedEventsProps {
  readonly target: ProjectionTarget;
  readonly parked: readonly ParkedEvent[];
  /** How many there are, shown or not, and whether they can still be applied. */
  readonly status: Pick<ProjectionFacts, "parked" | "outdated">;
  readonly run: RunChange;
}

/** The events that a projection has parked, with their errors. */
export function ParkedEvents({ target, parked, status, run }: ParkedEventsProps): VNode {
  const { parked: total, outdated } = status;
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
        {!outdated && (
          <button
            type="button"
            onClick={() =>
              void run(() => changeProjection(target, "parked/retry"), "Will be applied again soon")
            }
          >
            Retry all
          </button>
        )}
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
          <Parked key={`${event.slice}:${event.offset}`} {...{ target, event, outdated, run }} />
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
  outdated,
  run,
}: {
  readonly target: ProjectionTarget;
  readonly event: ParkedEvent;
  readonly outdated: boolean;
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
          <bdi>{persistenceId}</bdi> · {sequenceNr}
        </a>
        {retry && <span class="badge">retry pending</span>}
        <small>{shortTime(at)}</small>
      </div>
      <p class="parked-error">{error}</p>
      <div class="parked-actions">
        {!outdated && (
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
        )}
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
