import { type EventDetail, type EventStorageAdapter, GroupedEvent } from "@castore/core";
import { type Clock, optionCheck, systemClock } from "@tablekeep/core";
import { type Journal, type JournalConnection, journalSource } from "@tablekeep/journal";
import { checkOptions, optionInvalid } from "./castore-adapter-error.ts";
import { eventGroupOf } from "./event-group.ts";
import { getEvents } from "./get-events.ts";
import { listAggregateIds } from "./list-aggregate-ids.ts";
import { checkEvent, pushEvents } from "./push-events.ts";
import { isoTime } from "./stored-event.ts";

/** Options of the adapter. */
export interface TablekeepAdapterOptions {
  /** The time of events that are pushed without a timestamp. @default the system's */
  readonly clock?: Clock;
}

/**
 * castore's event storage on a journal, or on a port with the options of `openJournal`. The table must exist. Closing the port
 * is up to its owner. Several event stores may share an adapter.
 *
 * @example
 * const eventStorageAdapter = new TablekeepEventStorageAdapter(await openJournal(port, { table: "events" }));
 *
 * @example
 * const eventStorageAdapter = new TablekeepEventStorageAdapter({ port, table: "events" });
 */
export class TablekeepEventStorageAdapter implements EventStorageAdapter {
  readonly getEvents: EventStorageAdapter["getEvents"];
  readonly pushEvent: EventStorageAdapter["pushEvent"];
  /** Pushes consecutive events of one aggregate, all or none. Any other group is `CASTORE_GROUP_UNSUPPORTED`. */
  readonly pushEventGroup: EventStorageAdapter["pushEventGroup"];
  readonly groupEvent: EventStorageAdapter["groupEvent"];
  readonly listAggregateIds: EventStorageAdapter["listAggregateIds"];
  /** Adapters of the same journal may share a group. */
  readonly #source: Journal | JournalConnection;

  constructor(source: Journal | JournalConnection, options: TablekeepAdapterOptions = {}) {
    checkOptions<TablekeepAdapterOptions>(options, { clock: optionCheck.clock });
    const { clock = systemClock } = options;
    this.#source = source;
    const open = journalSource(source, optionInvalid);
    const now = () => isoTime(clock.now());
    this.getEvents = async (aggregateId, context, query) =>
      getEvents(await open(), aggregateId, context, query);
    this.pushEvent = async (eventDetail, push) => {
      checkEvent(eventDetail);
      const event: EventDetail = { ...eventDetail, timestamp: eventDetail.timestamp ?? now() };
      await pushEvents(await open(), [event], push);
      return { event };
    };
    this.pushEventGroup = async ({ force }, ...groupedEvents) => {
      const { eventStoreId, events } = eventGroupOf(
        groupedEvents,
        (adapter) => this.#hasSource(adapter),
        now,
      );
      await pushEvents(await open(), events, { eventStoreId, force });
      return { eventGroup: events.map((event) => ({ event })) };
    };
    this.groupEvent = (event) => new GroupedEvent({ event, eventStorageAdapter: this });
    this.listAggregateIds = async (context, list) => listAggregateIds(await open(), context, list);
  }

  #hasSource(adapter: EventStorageAdapter): boolean {
    return adapter instanceof TablekeepEventStorageAdapter && adapter.#source === this.#source;
  }
}
