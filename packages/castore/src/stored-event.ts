import type { EventDetail, EventStoreContext } from "@castore/core";
import type { JournalEvent, NewEvent } from "@tablekeep/journal";
import { CastoreAdapterError } from "./castore-adapter-error.ts";
import { idPrefix } from "./persistence-id.ts";

/** The payload of a journal event that this adapter writes. The event's metadata is that of the journal event. */
export interface StoredCastoreEvent {
  readonly type: string;
  readonly payload?: unknown;
  /** Only if it is not a time in milliseconds as `toISOString` writes it: any other is the time of the journal event. */
  readonly timestamp?: string;
}

/** The type of an event that was forgotten or has expired: it has a version and a timestamp, and no payload. */
export const goneEventType = "TABLEKEEP_GONE";

/** Returns an event as it is appended to the journal. */
export function newEventOf({
  type,
  timestamp,
  payload,
  metadata,
}: EventDetail): NewEvent<StoredCastoreEvent> {
  const milliseconds = Date.parse(timestamp);
  const isExact = milliseconds >= 0 && isoTime(milliseconds) === timestamp;
  return {
    payload: {
      type,
      ...(payload !== undefined && { payload }),
      ...(!isExact && { timestamp }),
    },
    ...(isExact && { timestamp: milliseconds }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Returns a journal event as castore's. */
export function eventDetailOf(event: JournalEvent, context: EventStoreContext): EventDetail {
  const { persistenceId, sequenceNr, payload: stored, metadata } = event;
  const aggregateId = persistenceId.slice(idPrefix(context).length);
  const address = { eventStoreId: context.eventStoreId, aggregateId, version: sequenceNr };
  // Left out, the next version would seem to be free.
  if (event.gone !== undefined)
    return { aggregateId, version: sequenceNr, type: goneEventType, timestamp: isoTime(event.timestamp) };
  if (!isStoredEvent(stored)) {
    const reason = "its payload is not an object with a type";
    throw new CastoreAdapterError(
      "CASTORE_EVENT_UNEXPECTED",
      `${persistenceId}: event ${sequenceNr} was not written by this adapter: ${reason}`,
      { ...address, reason },
    );
  }
  const { type, payload, timestamp = isoTime(event.timestamp) } = stored;
  return {
    aggregateId,
    version: sequenceNr,
    type,
    timestamp,
    ...(payload !== undefined && { payload }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Returns a time as castore writes it. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function isStoredEvent(value: unknown): value is StoredCastoreEvent {
  if (typeof value !== "object" || value === null) return false;
  const { type, timestamp } = value as Record<string, unknown>;
  return typeof type === "string" && (timestamp === undefined || typeof timestamp === "string");
}
