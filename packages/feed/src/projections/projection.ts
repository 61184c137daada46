import { type Item, type Key, type OptionChecks, optionCheck, type TransactWriteItem } from "@tablekeep/core";
import type { FeedEvent } from "../read/feed-event.ts";
import { checkOptions, optionInvalid } from "./projection-error.ts";
import type { ProjectionMode } from "./store/projection-items.ts";

/** A condition on an item, in DynamoDB's own form. */
export interface ActionCondition {
  readonly expression: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Item;
}

/** Changes to an item's attributes, by their names; paths into maps and lists are not supported. */
export interface AttributeChanges {
  /** Attributes that get a value. */
  readonly set?: Item;
  /** Attributes to add to: numbers are added, members are added to sets. A missing one counts as 0, or as an empty set. */
  readonly add?: Item;
  readonly remove?: readonly string[];
}

/** Options of an action. */
export interface ActionOptions {
  /** Fails the event if it does not hold. @default none */
  readonly condition?: ActionCondition;
}

/** Collects what a handler writes. Nothing is written before the handler has returned. */
export interface ProjectionTransaction extends EventContext {
  /** The version of the projection, for names of tables and keys. */
  readonly version: number;
  /**
   * Reads an item as it is after the actions so far. If the item is then written, the transaction checks that no other process has changed it.
   *
   * @example
   * const item = await tx.get("balances", { account: { S: event.persistenceId } });
   */
  get(table: string, key: Key): Promise<Item | undefined>;
  /**
   * Puts an item.
   *
   * @example
   * tx.put("balances", { account: { S: event.persistenceId }, cents: { N: "0" } });
   */
  put(table: string, item: Item, options?: ActionOptions): void;
  /**
   * Changes attributes of an item, which is created if it is missing.
   *
   * @example
   * tx.update("balances", { account: { S: event.persistenceId } }, { add: { cents: { N: "500" } } });
   */
  update(table: string, key: Key, changes: AttributeChanges, options?: ActionOptions): void;
  /**
   * Deletes an item.
   *
   * @example
   * tx.delete("balances", { account: { S: event.persistenceId } });
   */
  delete(table: string, key: Key, options?: ActionOptions): void;
  /**
   * Fails the event if a condition on an item does not hold.
   *
   * @example
   * tx.check("balances", { account: { S: "ann" } }, { expression: "attribute_exists(account)" });
   */
  check(table: string, key: Key, condition: ActionCondition): void;
  /**
   * Adds an action in DynamoDB's own form. It begins a new group if the group has written its item.
   *
   * @example
   * tx.action({ Put: { TableName: "audit", Item: { id: { S: tx.idempotencyKey } } } });
   */
  action(action: TransactWriteItem): void;
}

/** The context of an event, for its handler. */
export interface EventContext {
  readonly slice: number;
  readonly offset: number;
  /** Raised whenever a process begins to apply the events of the slice. */
  readonly epoch: number;
  /** Identifies the event in this projection: the same in every attempt, and unique. For sinks that discard repeated messages. */
  readonly idempotencyKey: string;
  /** Aborts when the runner stops or has lost the slice. */
  readonly signal: AbortSignal;
}

/** The same, for a handler that stores its position itself. */
export interface ExternalEventContext extends EventContext {
  /** The offset that is stored for the slice if nothing is missing: that of the event handled before; undefined if there is none. */
  readonly previous?: number;
}

/** How failed events are retried. */
export interface ProjectionRetry {
  /** Number of attempts, the first one included. @default 5 */
  readonly attempts?: number;
  /** Bound of the first wait, in milliseconds. It doubles with every attempt. @default 100 */
  readonly backoffMs?: number;
  /** The longest wait, in milliseconds. @default 10,000 */
  readonly maxBackoffMs?: number;
}

/** The common part of all definitions of projections. */
interface CommonDefinition {
  /** 1 to 64 letters, digits, dots, hyphens or underscores. */
  readonly name: string;
  /** Raise it to build the projection again, beside the existing one. @default 1 */
  readonly version?: number;
  /** Which events are handled. @default all */
  readonly feed?: { readonly type?: string; readonly tag?: string };
  readonly retry?: ProjectionRetry;
  /**
   * What to do with an event that fails in all attempts. `stop`: its slice stops there. `park`: it is set aside, with the later events
   * of its id, and the slice continues. @default "stop"
   */
  readonly onPoison?: "stop" | "park";
  /** Number of events after which the position is stored. @default 100 */
  readonly groupSize?: number;
  /** How long the handler may take for one event, in milliseconds. @default 30,000 */
  readonly handlerDeadlineMs?: number;
}

/** A projection whose writes are in the transaction that moves its position. */
export interface ExactlyOnceDefinition<Event = unknown> extends CommonDefinition {
  /** @default "exactly-once" */
  readonly mode?: "exactly-once";
  handle(event: FeedEvent<Event>, tx: ProjectionTransaction): void | Promise<void>;
}

/** A projection into anything. Its position is stored after events have been handled, so some may be handled again after a failure. */
export interface AtLeastOnceDefinition<Event = unknown> extends CommonDefinition {
  readonly mode: "at-least-once";
  handle(event: FeedEvent<Event>, context: EventContext): void | Promise<void>;
}

/** A projection into another database, which also has its position. */
export interface ExternalDefinition<Event = unknown> extends CommonDefinition {
  readonly mode: "external";
  /** Stores the event's effects and, in the same transaction, `context.offset`, if the stored offset is `context.previous`. */
  handle(event: FeedEvent<Event>, context: ExternalEventContext): void | Promise<void>;
  /** Returns the offset stored last for a slice; undefined if there is none. */
  loadPosition(slice: number): Promise<{ readonly offset: number } | undefined>;
}

/** The definition of a projection. */
export type ProjectionDefinition<Event = unknown> =
  | ExactlyOnceDefinition<Event>
  | AtLeastOnceDefinition<Event>
  | ExternalDefinition<Event>;

/** A projection that can be run. */
export interface Projection {
  readonly name: string;
  readonly version: number;
  readonly mode: ProjectionMode;
  readonly definition: ProjectionDefinition;
}

const retryChecks: OptionChecks<ProjectionRetry> = {
  attempts: optionCheck.integer(1),
  backoffMs: optionCheck.milliseconds,
  maxBackoffMs: optionCheck.milliseconds,
};

const checks: OptionChecks<Required<ExternalDefinition> & { mode: ProjectionMode }> = {
  name: optionCheck.fitting(
    "1 to 64 letters, digits, dots, hyphens or underscores",
    (value) => typeof value === "string" && /^[A-Za-z0-9_.-]{1,64}$/.test(value),
  ),
  version: optionCheck.integer(1),
  feed: (value) => {
    checkOptions(value, { type: optionCheck.nonEmptyString, tag: optionCheck.nonEmptyString }, "feed");
    return undefined;
  },
  mode: optionCheck.oneOf("exactly-once", "at-least-once", "external"),
  handle: optionCheck.callback,
  loadPosition: optionCheck.callback,
  retry: (value) => {
    checkOptions(value, retryChecks, "retry");
    return undefined;
  },
  onPoison: optionCheck.oneOf("stop", "park"),
  groupSize: optionCheck.integer(1, 1000),
  handlerDeadlineMs: optionCheck.milliseconds,
};

/** The names of all options. */
export const projectionOptionNames: readonly string[] = Object.keys(checks);

/**
 * Defines a projection: a read model that is maintained from a feed. Nothing runs before `runProjections`.
 *
 * @example
 * const balances = defineProjection({
 *   name: "balances",
 *   feed: { type: "account" },
 *   handle: ({ persistenceId, payload }, tx) =>
 *     tx.update("balances", { account: { S: persistenceId } }, { add: { cents: { N: String(payload.cents) } } }),
 * });
 */
export function defineProjection<Event = unknown>(definition: ProjectionDefinition<Event>): Projection {
  checkOptions(definition, checks);
  const { name, version = 1, mode = "exactly-once" } = definition;
  if (name === undefined) throw optionInvalid("name", "is missing");
  if (definition.handle === undefined) throw optionInvalid("handle", "is missing");
  const { loadPosition } = definition as Partial<ExternalDefinition>;
  if (mode === "external" && loadPosition === undefined)
    throw optionInvalid("loadPosition", "is required in external mode");
  // The events have the type that the caller names.
  return { name, version, mode, definition: definition as ProjectionDefinition };
}
