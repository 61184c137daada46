import type { Event, ReadEvent } from "@event-driven-io/emmett";
import { optionCheck } from "@tablekeep/core";
import type { JournalEvent, NewEvent } from "@tablekeep/journal";
import { EmmettStoreError, optionInvalid } from "./emmett-store-error.ts";
import type { TablekeepReadEventMetadata } from "./event-store.ts";

/** The payload of a journal event that this store writes. The event's metadata is that of the journal event. */
export interface StoredEmmettEvent {
  readonly type: string;
  readonly data: unknown;
  /** emmett's kind of message, if it is not an event. */
  readonly kind?: "Command";
}

type Metadata = Readonly<Record<string, unknown>>;

/** Throws `EMMETT_OPTION_INVALID` for events that could not be read again: one of them would make its whole stream unreadable. */
export function checkEvents(events: unknown): void {
  if (!Array.isArray(events)) throw optionInvalid("events", "must be an array of events");
  for (const [at, event] of events.entries()) {
    if (!isObject(event)) throw optionInvalid(`events[${at}]`, "must be an object with a type and data");
    const { type, metadata } = event;
    const reason = optionCheck.string(type);
    if (reason !== undefined) throw optionInvalid(`events[${at}].type`, reason);
    if (metadata !== undefined && !isObject(metadata))
      throw optionInvalid(`events[${at}].metadata`, "must be an object");
  }
}

/** Returns an event as it is appended to the journal. */
export function newEventOf(event: Event, messageId: string): NewEvent<StoredEmmettEvent> {
  const { kind, metadata: _metadata, ...content } = event as Event & { metadata?: Metadata };
  const { correlationId, causationId, ...metadata } = ownMetadata(event);
  // Ids that the journal does not accept as such are metadata like any other.
  const ids = { correlationId, causationId };
  const accepted = Object.entries(ids).filter(([, id]) => isId(id));
  const others = Object.entries(ids).filter(([, id]) => id !== undefined && !isId(id));
  const rest = { ...metadata, ...Object.fromEntries(others) };
  return {
    payload: { ...content, ...(kind !== undefined && kind !== "Event" && { kind }) },
    id: messageId,
    ...Object.fromEntries(accepted),
    ...(Object.keys(rest).length > 0 && { metadata: rest }),
  };
}

/** Returns an event that is stored now as emmett's recorded event. */
export function recordedEvent<EventType extends Event>(
  event: EventType,
  recorded: TablekeepReadEventMetadata,
): ReadEvent<EventType, TablekeepReadEventMetadata> {
  return {
    ...event,
    kind: event.kind ?? "Event",
    metadata: { ...ownMetadata(event), ...recorded },
  } as unknown as ReadEvent<EventType, TablekeepReadEventMetadata>;
}

/** Returns a journal event as emmett's recorded event. */
export function readEventOf(event: JournalEvent): ReadEvent<Event, TablekeepReadEventMetadata> {
  const { persistenceId, sequenceNr, id, correlationId, causationId, payload, metadata } = event;
  if (!isObject(payload) || typeof payload["type"] !== "string")
    throw unexpected(event, "its payload is not an object with a type");
  if (metadata !== undefined && !isObject(metadata)) throw unexpected(event, "its metadata is not an object");
  return {
    ...payload,
    kind: payload["kind"] ?? "Event",
    metadata: {
      ...metadata,
      ...(correlationId !== undefined && { correlationId }),
      ...(causationId !== undefined && { causationId }),
      messageId: id,
      streamName: persistenceId,
      streamPosition: BigInt(sequenceNr),
    },
  } as unknown as ReadEvent<Event, TablekeepReadEventMetadata>;
}

/** Returns the message id that the caller gave an event, if the journal accepts it. */
export function givenMessageId(event: Event): string | undefined {
  const messageId = (event as { metadata?: Metadata }).metadata?.["messageId"];
  return isId(messageId) ? messageId : undefined;
}

/** Returns the metadata of an event without what the store itself assigns: an event that was read may be appended elsewhere. */
function ownMetadata(event: Event): Metadata {
  const {
    messageId: _messageId,
    streamName: _streamName,
    streamPosition: _streamPosition,
    globalPosition: _globalPosition,
    ...metadata
  } = (event as { metadata?: Metadata }).metadata ?? {};
  return metadata;
}

function isId(value: unknown): value is string {
  return optionCheck.id(value) === undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function unexpected(
  { persistenceId: streamName, sequenceNr }: JournalEvent,
  reason: string,
): EmmettStoreError<"EMMETT_EVENT_UNEXPECTED"> {
  return new EmmettStoreError(
    "EMMETT_EVENT_UNEXPECTED",
    `${streamName}: event ${sequenceNr} was not written by this event store: ${reason}`,
    { streamName, streamPosition: BigInt(sequenceNr), reason },
  );
}
