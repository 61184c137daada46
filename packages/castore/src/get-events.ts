import type { EventDetail, EventStoreContext, EventsQueryOptions } from "@castore/core";
import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { eventsInRange, type Journal } from "@tablekeep/journal";
import { checkOptions } from "./castore-adapter-error.ts";
import { persistenceIdOf } from "./persistence-id.ts";
import { eventDetailOf } from "./stored-event.ts";

const checks: OptionChecks<EventsQueryOptions> = {
  minVersion: optionCheck.integer(0),
  maxVersion: optionCheck.integer(0),
  limit: optionCheck.integer(1),
  reverse: optionCheck.boolean,
};

/** Returns the events of an aggregate. In reverse, `limit` counts from the newest. */
export async function getEvents(
  journal: Journal,
  aggregateId: string,
  context: EventStoreContext,
  options: EventsQueryOptions = {},
): Promise<{ events: EventDetail[] }> {
  checkOptions(options, checks);
  const { minVersion = 1, maxVersion, limit, reverse = false } = options;
  const persistenceId = persistenceIdOf(context, aggregateId);
  let from = Math.max(1, minVersion);
  let to = maxVersion ?? Number.POSITIVE_INFINITY;
  if (reverse && limit !== undefined) {
    to = Math.min(to, await journal.highestSequenceNr(persistenceId));
    from = Math.max(from, to - limit + 1);
  }
  const events: EventDetail[] = [];
  for await (const event of eventsInRange(journal, persistenceId, {
    from,
    to,
    max: limit ?? Number.POSITIVE_INFINITY,
  }))
    events.push(eventDetailOf(event, context));
  return { events: reverse ? events.reverse() : events };
}
