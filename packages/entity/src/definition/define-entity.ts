import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../options/check-options.ts";
import type { DecideContext, Decision, Refusal, ReplyIn, Typed } from "./decision.ts";
import type { DeepReadonly } from "./deep-readonly.ts";
import type { EntityDefinition } from "./entity-definition.ts";
import type { StandardSchema } from "./standard-schema.ts";
import type { Upcaster } from "./upcaster.ts";

/**
 * What an entity is. Commands and events are objects with a `type`. Their types come from the schemas where these are
 * given, otherwise from the parameters of `decide` and `evolve`; that of the state from `initial`, that of the replies
 * from what `decide` gives.
 */
export interface EntitySpec<Command extends Typed, Event extends Typed, State, Result, Next> {
  /** The name of this sort of entity, without "|". It is part of persistence ids. */
  readonly type: string;
  /** Validates commands before `decide` sees them, and gives them their type. @default none */
  readonly commands?: StandardSchema<Command> | undefined;
  /** Validates events before they are written and after they are read, and gives them their type. @default none */
  readonly events?: StandardSchema<Event> | undefined;
  /** The state before the first event. */
  readonly initial: (id: string) => State;
  /** Judges a command. Pure: it may be called again for the same command. It must not change the state. */
  readonly decide: (command: Command, state: State, context: DecideContext) => Result;
  /** The state after an event. Pure: it gives a new state, and leaves the old one as it is. */
  readonly evolve: (state: State, event: Event) => Next;
  /** How events of older versions are read, by their type when they were stored. @default every event has version 1 */
  readonly upcasters?: Readonly<Record<string, Upcaster<NoInfer<Event>>>> | undefined;
  /** Raise it when the shape of the state changes: older snapshots are passed over then. @default 1 */
  readonly stateVersion?: number | undefined;
  /** Turns the state of an older snapshot, of this version, into today's. @default such snapshots are passed over */
  readonly upcastState?: ((state: unknown, version: number) => NoInfer<State>) | undefined;
  /** Events between two snapshots. @default the host's `snapshotEvery` */
  readonly snapshotEvery?: number | undefined;
  /** The tags that an event is stored with. @default none */
  readonly tags?: ((event: NoInfer<Event>) => readonly string[]) | undefined;
  /** The persistence id of an entity. @default its type, "|" and its id, as Akka has it */
  readonly persistenceId?: ((id: string) => string) | undefined;
}

const checks: OptionChecks<EntitySpec<Typed, Typed, unknown, unknown, unknown>> = {
  type: (value) =>
    optionCheck.text(value) ?? (String(value).includes("|") ? "must not contain |" : undefined),
  commands: schema,
  events: schema,
  initial: optionCheck.callable,
  decide: optionCheck.callable,
  evolve: optionCheck.callable,
  upcasters: optionCheck.anything,
  stateVersion: optionCheck.wholeNumber(1),
  upcastState: optionCheck.callable,
  snapshotEvery: optionCheck.wholeNumber(1),
  tags: optionCheck.callable,
  persistenceId: optionCheck.callable,
};

function schema(value: unknown): string | undefined {
  const standard = (value as { "~standard"?: { version?: unknown } } | null)?.["~standard"];
  return standard?.version === 1 ? undefined : "must be a schema that follows Standard Schema, version 1";
}

/**
 * Defines an entity: its commands, events, state and replies, all of whose types are inferred.
 *
 * @example
 * const counter = defineEntity({
 *   type: "counter",
 *   initial: () => 0,
 *   decide: (command: { type: "add"; amount: number }, total) => ({
 *     events: { type: "added", amount: command.amount },
 *     reply: total + command.amount,
 *   }),
 *   evolve: (total: number, event: { type: "added"; amount: number }) => total + event.amount,
 * });
 */
export function defineEntity<
  Command extends Typed,
  Event extends Typed,
  State,
  const Result extends Decision<DeepReadonly<Event>, unknown> | Refusal | undefined,
  const Next extends DeepReadonly<State>,
>(
  spec: EntitySpec<Command, Event, State, Result, Next>,
): EntityDefinition<Command, Event, State, ReplyIn<NonNullable<Result>>> {
  checkOptions<object>(spec, checks as OptionChecks<object>);
  for (const required of ["type", "initial", "decide", "evolve"] as const) {
    if (spec[required] === undefined) throw optionInvalid(required, "is missing");
  }
  const { type } = spec;
  // What is given is checked above to be a decision and a state; only that nothing in it is changed is lost here.
  return Object.freeze({
    type,
    initial: spec.initial,
    decide: spec.decide as unknown as EntityDefinition<
      Command,
      Event,
      State,
      ReplyIn<NonNullable<Result>>
    >["decide"],
    evolve: spec.evolve as unknown as EntityDefinition<Command, Event, State, unknown>["evolve"],
    commands: spec.commands,
    events: spec.events,
    upcasters: spec.upcasters ?? {},
    stateVersion: spec.stateVersion ?? 1,
    upcastState: spec.upcastState,
    snapshotEvery: spec.snapshotEvery,
    tags: spec.tags ?? (() => []),
    persistenceId: spec.persistenceId ?? ((id) => `${type}|${id}`),
  });
}
