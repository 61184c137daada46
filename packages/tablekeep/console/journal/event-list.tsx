import type { VNode } from "preact";
import { VirtualList } from "../list/virtual-list.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { shortTime } from "../parts/show-time.ts";
import { placeOf } from "../shell/route.ts";
import type { EventRow, EventRows } from "./event-rows.ts";
import { payloadPreview } from "./payload-preview.ts";

export interface EventListProps {
  readonly rows: EventRows;
  /** The parts of the address of the id. */
  readonly place: readonly string[];
  readonly open: number | undefined;
}

const keyOf = ({ sequenceNr }: EventRow) => String(sequenceNr);

/** The events of an id, the newest first. */
export function EventList({ rows, place, open }: EventListProps): VNode {
  return (
    <VirtualList
      rows={rows.list}
      label="Events, newest first"
      rowHeight={60}
      keyOf={keyOf}
      hrefOf={(row) => placeOf([...place, "events", keyOf(row)])}
      openKey={open === undefined ? undefined : String(open)}
      renderRow={(row) => <EventLines {...row} />}
      empty={
        <EmptyState title="No events" commands={["npx tablekeep journal list"]}>
          <p>This id has no events, or all of them were deleted.</p>
        </EmptyState>
      }
    />
  );
}

function EventLines({ sequenceNr, event }: EventRow): VNode {
  return (
    <>
      <span class="row-line">
        <strong>
          <span class="number">{sequenceNr}</span> {event?.manifest}
        </strong>
        <small>{event !== undefined && event.timestamp > 0 && shortTime(event.timestamp)}</small>
      </span>
      <span class="row-line dim">
        {event === undefined ? (
          <span class="grow">deleted</span>
        ) : (
          <code class="grow">{event.gone ?? payloadPreview(event.payload, event.payloadForm)}</code>
        )}
      </span>
    </>
  );
}
