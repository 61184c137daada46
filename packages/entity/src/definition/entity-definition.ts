import type { DecideContext, Decision, Refusal, Typed } from "./decision.ts";
import type { StandardSchema } from "./standard-schema.ts";
import type { Upcaster } from "./upcaster.ts";

/** What of a definition does not depend on its types. */
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

/** An entity as `defineEntity` checked it. */
export interface EntityDefinition<Command, Event, State, Reply> extends DefinitionSettings {
  readonly initial: (id: string) => State;
  readonly decide: (
    command: Command,
    state: State,
    context: DecideContext,
  ) => Decision<Event, Reply> | Refusal | undefined;
  readonly evolve: (state: State, event: Event) => State;
  readonly tags: (event: Event) => readonly string[];
}

/** Any definition, whatever its types. */
export interface AnyEntity extends DefinitionSettings {
  readonly initial: (id: string) => unknown;
  readonly decide: (command: never, state: never, context: DecideContext) => unknown;
  readonly evolve: (state: never, event: never) => unknown;
  readonly tags: (event: never) => readonly string[];
}

/** A definition as the host uses it: the types were checked where it was written. */
export interface LooseEntity extends DefinitionSettings {
  readonly initial: (id: string) => unknown;
  readonly decide: (command: Typed, state: unknown, context: DecideContext) => unknown;
  readonly evolve: (state: unknown, event: Typed) => unknown;
  readonly tags: (event: Typed) => readonly string[];
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
