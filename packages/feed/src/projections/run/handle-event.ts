import { type Clock, type DynamoPort, withDeadline } from "@tablekeep/core";
import type { FeedEvent } from "../../read/feed-event.ts";
import { EventTransaction } from "../apply/event-transaction.ts";
import type { EventActions, Group } from "../apply/group.ts";
import type { ItemKeys } from "../apply/item-keys.ts";
import type { EventContext, Projection } from "../projection.ts";
import { handlerTimeout } from "./external-position.ts";

/** What handlers are called with. */
export interface HandlerContext {
  readonly port: DynamoPort;
  readonly itemKeys: ItemKeys;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly projection: Projection;
}

const nothing: EventActions = { actions: [], reads: new Map(), isIndependent: true };

/** Calls the handler for one event, and returns what it wants to write. Throws what the handler throws. */
export async function handleEvent(
  context: HandlerContext,
  group: Group,
  event: FeedEvent,
  eventContext: EventContext,
  previous: number | undefined,
): Promise<EventActions> {
  const { projection, port, itemKeys, clock } = context;
  const { name, version, definition } = projection;
  const { handlerDeadlineMs: ms = 30_000 } = definition;
  const limits = { clock, ms, timedOut: () => handlerTimeout("the handler", name, ms) };
  if (definition.mode === "at-least-once") {
    await withDeadline(async () => definition.handle(event, eventContext), limits);
    return nothing;
  }
  if (definition.mode === "external") {
    const known = previous === undefined ? eventContext : { ...eventContext, previous };
    await withDeadline(async () => definition.handle(event, known), limits);
    return nothing;
  }
  const call = { deadlineMs: context.deadlineMs };
  const tx = new EventTransaction({ port, itemKeys, group, name, version, event: eventContext, call });
  try {
    await withDeadline(async () => definition.handle(event, tx), limits);
  } finally {
    tx.close();
  }
  return tx.collected();
}
