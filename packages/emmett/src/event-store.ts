import type {
  AppendToStreamOptions,
  AppendToStreamResult,
  DefaultEventStoreOptions,
  Event,
  EventStore,
  ReadEventMetadataWithoutGlobalPosition,
} from "@event-driven-io/emmett";
import type { TransactWriteItem } from "@tablekeep/core";

/** What a read event has beside its own metadata: `messageId`, `streamName` and `streamPosition`. */
export type TablekeepReadEventMetadata = ReadEventMetadataWithoutGlobalPosition;

/** What an append takes beside emmett's options. */
export interface JournalAppendOptions {
  /** Items of your own that are written in the same transaction as the events: an outbox row, a unique name. */
  readonly alsoWrite?: readonly TransactWriteItem[];
  readonly signal?: AbortSignal;
  /** Milliseconds for the append. @default the journal's `deadlineMs` */
  readonly deadlineMs?: number;
}

/** emmett's event store on a journal. A stream is a persistence id, and a stream position is a sequence number. */
export interface TablekeepEventStore extends EventStore<TablekeepReadEventMetadata> {
  /**
   * Appends events that are stored together or not at all.
   *
   * @example
   * await eventStore.appendToStream("cart-1", [{ type: "ItemAdded", data: { item: "apple" } }], {
   *   expectedStreamVersion: STREAM_DOES_NOT_EXIST,
   * });
   */
  appendToStream<EventType extends Event, EventPayloadType extends Event = EventType>(
    streamName: string,
    events: EventType[],
    options?: AppendToStreamOptions<bigint, EventType, EventPayloadType> & JournalAppendOptions,
  ): Promise<AppendToStreamResult>;
}

/** Options of the event store. */
export type TablekeepEventStoreOptions = DefaultEventStoreOptions<TablekeepEventStore>;
