import { type Clock, type DynamoPort, withDeadline } from "@tablekeep/core";
import type { FeedEvent } from "../../read/feed-event.ts";
import { EventTransaction } from "../apply/event-transaction.ts";
import type { EventActions, Group } from "../apply/group.ts";
import type { ItemKeys } from "../apply/item-keys.ts";
import type { EventContext, Projection } from "../projection.ts";
import { optionInvalid } from "../projection-error.ts";
import { handlerTimeout } from "./external-position.ts";

/** The arguments of handlers. */
export interface HandlerContext {
  readonly port: DynamoPort;
  readonly itemKeys: ItemKeys;
  /** Tables that handlers must not write, with a description of each. */
  readonly reserved: ReadonlyMap<string, string>;
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
  const { projection, port, itemKeys, reserved, clock } = context;
  const { name, version, definition } = projection;
  const { handlerDeadlineMs: ms = 30_000 } = definition;
  const limits = { clock, ms, timedOut: () => handlerTimeout("the handler", name, ms) };
  if (definition.mode === "at-least-once") {
    checkDone(await withDeadline(async () => definition.handle(event, eventContext), limits));
    return nothing;
  }
  if (definition.mode === "external") {
    const known = previous === undefined ? eventContext : { ...eventContext, previous };
    checkDone(await withDeadline(async () => definition.handle(event, known), limits));
    return nothing;
  }
  const call = { deadlineMs: context.deadlineMs };
  const tx = new EventTransaction({
    port,
    itemKeys,
    reserved,
    group,
    name,
    version,
    event: eventContext,
    call,
  });
  try {
    checkDone(await withDeadline(async () => definition.handle(event, tx), limits));
  } finally {
    tx.close();
  }
  return tx.collected();
}

/** Throws if a handler returned a generator or a function, whose code has not run. Other return values are ignored. */
function checkDone(returned: unknown): void {
  const isGenerator = typeof (returned as { next?: unknown } | null | undefined)?.next === "function";
  if (!isGenerator && typeof returned !== "function") return;
  const got = isGenerator ? "a generator" : "a function";
  throw optionInvalid("handle", `must do its work before it returns, but returned ${got}, which was not run`);
}
