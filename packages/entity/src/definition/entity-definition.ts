import type { StandardSchema } from "@tablekeep/core";
import { type EntityAddress, isEntityError } from "../entity-error.ts";
import type { DecideContext, Decision, Refusal, Typed } from "./decision.ts";

/** The members of a definition that do not depend on its types. */
interface DefinitionSettings {
  readonly type: string;
  readonly commands: StandardSchema<unknown> | undefined;
  readonly events: StandardSchema<unknown> | undefined;
  readonly upcasters: Readonly<Record<string, Upcaster<unknown>>>;
  readonly stateVersion: number;
  readonly upcastState: ((state: unknown, version: number) => unknown) | undefined;
  readonly snapshotEvery: number | undefined;
  readonly persistenceId: (id: string) => string;
}

/** An entity definition, as `defineEntity` returns it. */
export interface EntityDefinition<Command, Event, State, Reply, Types = unknown> extends DefinitionSettings {
  /** Only a type: the reply to each command, and the refusals. Never set. */
  readonly "~types"?: Types;
  readonly initial: (id: string) => State;
  readonly decide: (
    command: Command,
    state: State,
    context: DecideContext,
  ) => Decision<Event, Reply> | Refusal | undefined;
  readonly evolve: (state: State, event: Event) => State;
  readonly tags: (event: Event) => readonly string[];
}

/** A definition of any types. */
export interface AnyEntity extends DefinitionSettings {
  readonly initial: (id: string) => unknown;
  readonly decide: (command: never, state: never, context: DecideContext) => unknown;
  readonly evolve: (state: never, event: never) => unknown;
  readonly tags: (event: never) => readonly string[];
}

/** A definition as the host uses it. Its types were checked where it was written. */
export interface LooseEntity extends DefinitionSettings {
  readonly initial: (id: string) => unknown;
  readonly decide: (command: Typed, state: unknown, context: DecideContext) => unknown;
  readonly evolve: (state: unknown, event: Typed) => unknown;
  readonly tags: (event: Typed) => readonly string[];
}

/** Which entity, and its definition. */
export interface EntityRef {
  readonly definition: LooseEntity;
  readonly address: EntityAddress;
  readonly persistenceId: string;
}

/** The commands of a definition. */
export type CommandOf<Definition extends AnyEntity> = Parameters<Definition["decide"]>[0];

/** The events of a definition. */
export type EventOf<Definition extends AnyEntity> = Parameters<Definition["evolve"]>[1];

/** The state of a definition. */
export type StateOf<Definition extends AnyEntity> = ReturnType<Definition["initial"]>;

/** The replies of a definition. */
export type ReplyOf<Definition extends AnyEntity> =
  Definition extends EntityDefinition<never, infer _Event, infer _State, infer Reply> ? Reply : never;

/** The reply to commands of a type. Where `decide` is one function, any of its replies. */
export type ReplyTo<Definition extends AnyEntity, Type> = Definition extends {
  readonly "~types"?: { readonly replies: infer Replies };
}
  ? Type extends keyof Replies
    ? Replies[Type]
    : ReplyOf<Definition>
  : ReplyOf<Definition>;

/** The refusals of a definition: each `reason`, with its `facts`. */
export type RefusalOf<Definition extends AnyEntity> = Definition extends {
  readonly "~types"?: { readonly refused: infer Refused };
}
  ? Refused
  : { readonly reason: string; readonly facts: unknown };

/** The types of the commands of a definition. */
export type CommandTypeOf<Definition extends AnyEntity> =
  CommandOf<Definition> extends { readonly type: infer Type extends string } ? Type : string;

/** Converts older versions of an event to the current one. Step n reads version n. */
export interface Upcaster<out Newest> {
  readonly steps: readonly ((event: never) => unknown)[];
  /** Adds the step from the newest version so far to the next. */
  to<Next>(step: (event: Newest) => Next): Upcaster<Next>;
}

/**
 * Creates an upcaster from the step that converts version 1 of an event to version 2; `to` adds further steps. An event
 * with n steps is stored as version n + 1. The type of each step follows from the one before, and the last step must
 * return an event of the definition.
 *
 * @example
 * upcasters: { added: upcastFrom((v1: AddedV1): Added => ({ ...v1, quantity: 1 })) }
 */
export function upcastFrom<Oldest, Next>(step: (event: Oldest) => Next): Upcaster<Next> {
  return upcaster([step]);
}

function upcaster<Newest>(steps: Upcaster<Newest>["steps"]): Upcaster<Newest> {
  return { steps, to: (step) => upcaster([...steps, step]) };
}

/**
 * Returns the refusal in an error of `ask`, with the types of what the definition refuses; undefined for any other error.
 *
 * @example
 * const refusal = refusalOf(cart, error);
 * if (refusal?.reason === "out-of-stock") console.log(refusal.facts);
 */
export function refusalOf<Definition extends AnyEntity>(
  definition: Definition,
  error: unknown,
): RefusalOf<Definition> | undefined {
  if (!isEntityError(error, "ENTITY_COMMAND_REFUSED") || error.details.entity !== definition.type)
    return undefined;
  const { reason, facts } = error.details;
  // What was refused came from this definition's `decide`.
  return { reason, facts } as RefusalOf<Definition>;
}
