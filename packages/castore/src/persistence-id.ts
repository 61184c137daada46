import type { EventStoreContext } from "@castore/core";
import { optionCheck } from "@tablekeep/core";
import { optionInvalid } from "./castore-adapter-error.ts";

/** Separates the event store from the aggregate, as in castore's own tables. */
const separator = "#";

/** Returns what the persistence ids of an event store begin with. Two event stores never have an id in common. */
export function idPrefix(context: EventStoreContext): string {
  // castore always has a context; a direct caller may forget it.
  const eventStoreId = (context as EventStoreContext | undefined)?.eventStoreId ?? "";
  const reason = optionCheck.id(eventStoreId);
  if (reason !== undefined) throw optionInvalid("eventStoreId", reason);
  if (eventStoreId.includes(separator))
    throw optionInvalid("eventStoreId", `must not contain ${separator}, got ${JSON.stringify(eventStoreId)}`);
  return `${eventStoreId}${separator}`;
}

/** Returns the persistence id of an aggregate. */
export function persistenceIdOf(context: EventStoreContext, aggregateId: string): string {
  const reason = optionCheck.id(aggregateId);
  if (reason !== undefined) throw optionInvalid("aggregateId", reason);
  return `${idPrefix(context)}${aggregateId}`;
}
