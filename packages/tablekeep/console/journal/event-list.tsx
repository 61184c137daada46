import type { VNode } from "preact";
import { VirtualList } from "../list/virtual-list.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { shortTime } from "../parts/show-values.ts";
import { useStore } from "../shell/use-store.ts";
import type { EventRow, EventRows } from "./event-rows.ts";
import { eventType, payloadPreview } from "./shown-event.ts";

export interface EventListProps {
  readonly rows: EventRows;
  /** The filter of the rows; "" for none. */
  readonly filter: string;
  /** The address of an event. */
  readonly placeOfEvent: (sequenceNr: number) => string;
  readonly open: number | undefined;
}

const keyOf = ({ sequenceNr }: EventRow) => String(sequenceNr);

/** The events of an id, newest first. */
export function EventList({ rows, filter, placeOfEvent, open }: EventListProps): VNode {
  const { count = 0, mayBeMore } = useStore(rows.list.state);
  return (
    <>
      <VirtualList
        rows={rows.list}
        label="Events, newest first"
        rowHeight={60}
        keyOf={keyOf}
        hrefOf={(row) => placeOfEvent(row.sequenceNr)}
        openKey={open === undefined ? undefined : String(open)}
        indexOf={filter === "" ? (key) => rows.highest() - Number(key) : undefined}
        renderRow={(row) => <EventLines {...row} />}
        empty={filter === "" ? <NoEvents /> : <NothingFound filter={filter} />}
      />
      {filter !== "" && count > 0 && (
        <p class="list-foot" role="status">
          {count.toLocaleString()} {count === 1 ? "event matches" : "events match"}
          {mayBeMore && " so far: scroll for more"}
        </p>
      )}
    </>
  );
}

function NoEvents(): VNode {
  return (
    <EmptyState title="No events" commands={["npx tablekeep journal list"]}>
      <p>This id has no events, or all of them were deleted.</p>
    </EmptyState>
  );
}

function NothingFound({ filter }: { readonly filter: string }): VNode {
  return (
    <EmptyState title="No results">
      <p>
        No event matches “{filter}”. Words are searched in payloads, <code>type:added</code> in types, and{" "}
        <code>tag:shop</code> finds events with a tag.
      </p>
    </EmptyState>
  );
}

function EventLines({ sequenceNr, event }: EventRow): VNode {
  return (
    <>
      <span class="row-line">
        <strong>
          <span class="number">{sequenceNr}</span> {event !== undefined && eventType(event)}
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
