import type { EventDetail, EventStorageAdapter, GroupedEvent } from "@castore/core";
import { CastoreAdapterError } from "./castore-adapter-error.ts";
import { checkEvent } from "./push-events.ts";

/** Consecutive events of one aggregate. */
export interface EventGroup {
  readonly eventStoreId: string;
  readonly events: readonly [EventDetail, ...EventDetail[]];
}

/**
 * Returns the events of a group with their one timestamp. Throws for a group that one atomic write cannot store: DynamoDB
 * could write several aggregates in one transaction, but a journal's protocol is about one persistence id.
 */
export function eventGroupOf(
  groupedEvents: readonly GroupedEvent[],
  isOwn: (adapter: EventStorageAdapter) => boolean,
  now: () => string,
): EventGroup {
  for (const grouped of groupedEvents as readonly (GroupedEvent | null | undefined)[])
    checkEvent(grouped?.event);
  const [first] = groupedEvents;
  if (first === undefined) throw unsupported("it has no events");
  const given = groupedEvents.find(({ event }) => event.timestamp !== undefined)?.event.timestamp;
  const timestamp = given ?? now();
  const events = groupedEvents.map(({ event, context, eventStorageAdapter }, at) => {
    if (!isOwn(eventStorageAdapter)) throw unsupported(`event ${at} has an adapter for another journal`);
    if (context === undefined) throw unsupported(`event ${at} has no context`);
    if ((event.timestamp ?? timestamp) !== timestamp)
      throw unsupported(`event ${at} has a different timestamp than the events before it`);
    if (context.eventStoreId !== first.context?.eventStoreId || event.aggregateId !== first.event.aggregateId)
      throw unsupported(`event ${at} belongs to another aggregate; a group is stored in one journal entry`);
    if (event.version !== first.event.version + at)
      throw unsupported(`event ${at} has version ${event.version}, expected ${first.event.version + at}`);
    return { ...event, timestamp };
  });
  // Both are there: the loop above has checked each event.
  return {
    eventStoreId: first.context?.eventStoreId ?? "",
    events: events as unknown as EventGroup["events"],
  };
}

function unsupported(reason: string): CastoreAdapterError<"CASTORE_GROUP_UNSUPPORTED"> {
  return new CastoreAdapterError(
    "CASTORE_GROUP_UNSUPPORTED",
    `this group of events cannot be stored atomically: ${reason}`,
    { reason },
  );
}
