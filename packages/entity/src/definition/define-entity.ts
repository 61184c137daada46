import type { StandardSchema } from "@tablekeep/core";
import { type OptionChecks, optionCheck } from "@tablekeep/core";
import { checkOptions, optionInvalid } from "../call-options.ts";
import type {
  DecideContext,
  Decision,
  DeepReadonly,
  Refusal,
  RefusedIn,
  ReplyIn,
  Typed,
} from "./decision.ts";
import type { EntityDefinition, Upcaster } from "./entity-definition.ts";

/**
 * The members of a definition. Commands and events are objects with a `type`. Their types come from the schemas if there
 * are any, otherwise from the parameters of `decide` and `evolve`; the type of the state comes from `initial`, and those of
 * the replies from what `decide` returns.
 */
export interface EntitySpec<Command extends Typed, Event extends Typed, State, Result, Next> {
  /** The name of this type of entity, without "|". Part of the persistence ids. */
  readonly type: string;
  /** Validates commands before `decide`, and defines their type. @default none */
  readonly commands?: StandardSchema<Command>;
  /** Validates events before they are written and after they are read, and defines their type. @default none */
  readonly events?: StandardSchema<Event>;
  /** Returns the state before the first event. */
  readonly initial: (id: string) => State;
  /** Decides a command. Must be pure: it may run again for the same command, and must not change the state. */
  readonly decide: (command: Command, state: State, context: DecideContext) => Result;
  /** Returns the state after an event. Must be pure: it returns a new state and does not change the old one. */
  readonly evolve: (state: State, event: Event) => Next;
  /** Converts older events, by their stored type. @default every event has version 1 */
  readonly upcasters?: Readonly<Record<string, Upcaster<NoInfer<Event>>>>;
  /** Raise it when the shape of the state changes; older snapshots are then ignored. @default 1 */
  readonly stateVersion?: number;
  /** Converts the state of an older snapshot, given its version. @default older snapshots are ignored */
  readonly upcastState?: (state: unknown, version: number) => NoInfer<State>;
  /** Events between two snapshots. @default the host's `snapshotEvery` */
  readonly snapshotEvery?: number;
  /** Returns the tags to store with an event. @default none */
  readonly tags?: (event: NoInfer<Event>) => readonly string[];
  /** Returns the persistence id of an entity. @default type, "|" and id, as in Akka */
  readonly persistenceId?: (id: string) => string;
}

const checks: OptionChecks<EntitySpec<Typed, Typed, unknown, unknown, unknown>> = {
  type: (value) =>
    optionCheck.nonEmptyString(value) ?? (String(value).includes("|") ? "must not contain |" : undefined),
  commands: schema,
  events: schema,
  initial: optionCheck.callback,
  decide: optionCheck.callback,
  evolve: optionCheck.callback,
  upcasters: optionCheck.anything,
  stateVersion: optionCheck.integer(1),
  upcastState: optionCheck.callback,
  snapshotEvery: optionCheck.integer(1),
  tags: optionCheck.callback,
  persistenceId: optionCheck.callback,
};

function schema(value: unknown): string | undefined {
  const standard = (value as { "~standard"?: { version?: unknown } } | null)?.["~standard"];
  return standard?.version === 1 ? undefined : "must be a schema that implements Standard Schema version 1";
}

/** The types of a definition that its functions do not show. */
export interface DefinitionTypes<Replies, Refused> {
  /** By the type of the command. */
  readonly replies: Replies;
  readonly refused: Refused;
}

/**
 * Defines an entity. The types of its commands, events, state and replies are inferred.
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
): EntityDefinition<
  Command,
  Event,
  State,
  ReplyIn<NonNullable<Result>>,
  DefinitionTypes<Record<never, never>, RefusedIn<NonNullable<Result>>>
> {
  return makeDefinition(spec as unknown as AnySpec) as unknown as EntityDefinition<
    Command,
    Event,
    State,
    ReplyIn<NonNullable<Result>>,
    DefinitionTypes<Record<never, never>, RefusedIn<NonNullable<Result>>>
  >;
}

/** Checks a specification, whose types the signatures have checked, and fills in the defaults. */
export function makeDefinition(spec: AnySpec): EntityDefinition<never, never, never, unknown> {
  checkOptions<object>(spec, checks as OptionChecks<object>);
  for (const required of ["type", "initial", "decide", "evolve"] as const) {
    if (spec[required] === undefined) throw optionInvalid(required, "is missing");
  }
  const { type, decide } = spec;
  return Object.freeze({
    type,
    initial: spec.initial,
    decide,
    evolve: spec.evolve,
    commands: spec.commands,
    events: spec.events,
    upcasters: spec.upcasters ?? {},
    stateVersion: spec.stateVersion ?? 1,
    upcastState: spec.upcastState,
    snapshotEvery: spec.snapshotEvery,
    tags: spec.tags ?? (() => []),
    persistenceId: spec.persistenceId ?? ((id: string) => `${type}|${id}`),
  });
}

/** A specification of any types. */
export type AnySpec = EntitySpec<never, never, never, Decision<never, unknown> | Refusal | undefined, never>;
