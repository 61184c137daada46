import type { StandardSchema } from "@tablekeep/core";
import { optionInvalid } from "../call-options.ts";
import type {
  CommandIn,
  DecideContext,
  Deciders,
  Decision,
  DeepReadonly,
  Refusal,
  RefusedIn,
  ReplyIn,
  Typed,
} from "./decision.ts";
import { type AnySpec, type DefinitionTypes, type EntitySpec, makeDefinition } from "./define-entity.ts";
import type { EntityDefinition } from "./entity-definition.ts";

/** The members of a definition with one function for each type of command, which gives each command its own reply. */
export interface EntitySpecByCommand<Event extends Typed, State, Results, Functions, Next>
  extends Omit<EntitySpec<Typed, Event, State, unknown, Next>, "commands" | "decide"> {
  /** Validates commands before `decide`. @default none */
  readonly commands?: StandardSchema<NoInfer<CommandIn<Functions>>>;
  /** Decides commands, by their type. Each must be pure: it may run again for the same command. */
  readonly decide: Functions & Deciders<State, Results>;
}

/** The definition of functions by the type of the command. */
export type DefinitionByType<Event, State, Results, Functions> = EntityDefinition<
  CommandIn<Functions>,
  Event,
  State,
  { [Type in keyof Results]: ReplyIn<NonNullable<Results[Type]>> }[keyof Results],
  DefinitionTypes<
    { readonly [Type in keyof Results]: ReplyIn<NonNullable<Results[Type]>> },
    { [Type in keyof Results]: RefusedIn<NonNullable<Results[Type]>> }[keyof Results]
  >
>;

/**
 * Defines an entity with one function for each type of command, so that the reply of `ask` has the type of its command.
 * A command of another type is `ENTITY_COMMAND_UNKNOWN`. Everything else is as with `defineEntity`.
 *
 * @example
 * const counter = defineEntityByCommand({
 *   type: "counter",
 *   initial: () => 0,
 *   decide: {
 *     add: (command: { amount: number }) => ({ events: { type: "added", amount: command.amount } }),
 *     get: (_command, total) => ({ reply: total }),
 *   },
 *   evolve: (total: number, event: { type: "added"; amount: number }) => total + event.amount,
 * });
 * const total = await host.of(counter).ask("a", { type: "get" }); // a number
 */
export function defineEntityByCommand<
  Event extends Typed,
  State,
  const Results extends {
    readonly [type: string]: Decision<DeepReadonly<Event>, unknown> | Refusal | undefined;
  },
  Functions extends {
    readonly [type: string]: (command: never, state: State, context: DecideContext) => unknown;
  },
  const Next extends DeepReadonly<State>,
>(
  spec: EntitySpecByCommand<Event, State, Results, Functions, Next>,
): DefinitionByType<Event, State, Results, Functions> {
  const { decide } = spec;
  const isObject = typeof decide === "object" && decide !== null;
  if (!isObject || !Object.values(decide).every((each) => typeof each === "function"))
    throw optionInvalid("decide", "must be an object with a function for each type of command");
  const functions = decide as unknown as Readonly<Record<string, AnySpec["decide"]>>;
  const byType: AnySpec["decide"] = (command: Typed, ...rest) =>
    Object.hasOwn(functions, command.type) ? functions[command.type]?.(command as never, ...rest) : undefined;
  const made: unknown = makeDefinition({ ...(spec as object), decide: byType } as unknown as AnySpec);
  return made as DefinitionByType<Event, State, Results, Functions>;
}
