import assert from "node:assert/strict";
import type { DecideContext, Typed } from "../definition/decision.ts";
import type {
  AnyEntity,
  CommandOf,
  EventOf,
  LooseEntity,
  ReplyOf,
  StateOf,
} from "../definition/entity-definition.ts";
import { isTyped } from "../definition/is-typed.ts";
import { validate } from "../definition/validate.ts";
import type { EntityError, EntityErrorCode } from "../entity-error.ts";
import { decideCommand } from "../host/decide-command.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { storedEvent } from "./stored-copy.ts";

/** What a scenario expects instead of events: an error by its code, or a refusal by its reason. */
export type ExpectedError = { readonly error: EntityErrorCode } | { readonly refused: string };

/** What a command led to. */
export interface ScenarioEnd<Definition extends AnyEntity> {
  readonly events: readonly EventOf<Definition>[];
  /** Undefined if the command failed. */
  readonly reply: ReplyOf<Definition> | undefined;
  readonly error: EntityError | undefined;
  /** After the events. */
  readonly state: StateOf<Definition>;
  /** Throws unless the command led to these events, or failed like this. Gives itself, to look further. */
  then(
    expected: EventOf<Definition> | readonly EventOf<Definition>[] | ExpectedError,
  ): ScenarioEnd<Definition>;
}

/** What a scenario tells `decide` beside the command. */
export interface ScenarioContext {
  /** @default "id" */
  readonly id?: string | undefined;
  /** Milliseconds since 1970. @default 0 */
  readonly now?: number | undefined;
  readonly commandId?: string | undefined;
  /** @default "id-1", "id-2" and so on */
  readonly newId?: (() => string) | undefined;
}

/** Events that happened, and what comes next. */
export interface Scenario<Definition extends AnyEntity> {
  /** Gives the command. */
  when(command: CommandOf<Definition>, context?: ScenarioContext): ScenarioEnd<Definition>;
}

/**
 * Tests of one entity, without any store, for any test runner. States and events are frozen, and events are encoded and
 * decoded as a journal does it, so that impure functions and events that cannot be stored are found.
 *
 * @example
 * const given = scenarioOf(cart);
 * given([{ type: "added", sku: "apple", quantity: 1 }]).when({ type: "pay" }).then([{ type: "paid", at: 0 }]);
 * given([]).when({ type: "pay" }).then({ refused: "empty" });
 */
export function scenarioOf<Definition extends AnyEntity>(
  typed: Definition,
): (events: readonly EventOf<Definition>[]) => Scenario<Definition> {
  const definition = typed as unknown as LooseEntity;
  return (events) => ({
    when(command, context = {}) {
      const { id = "id" } = context;
      const happened = (events as readonly Typed[]).map((event, at) =>
        storedEvent(definition, id, event, at + 1),
      );
      const state = happened.reduce(
        (before, event) => deepFreeze(definition.evolve(before, event)),
        deepFreeze(definition.initial(id)),
      );
      const end = carryOut(definition, command, state, contextOf(context, happened.length));
      return endOf(end as Omit<ScenarioEnd<Definition>, "then">);
    },
  });
}

function contextOf(
  { id = "id", now = 0, commandId, newId }: ScenarioContext,
  sequenceNr: number,
): DecideContext {
  let drawn = 0;
  return { id, now, sequenceNr, commandId, newId: newId ?? (() => `id-${++drawn}`) };
}

function carryOut(
  definition: LooseEntity,
  given: unknown,
  state: unknown,
  context: DecideContext,
): Omit<ScenarioEnd<AnyEntity>, "then" | "events" | "reply" | "state"> & {
  events: readonly Typed[];
  reply: unknown;
  state: unknown;
} {
  assert(isTyped(given), "a command is an object with a type");
  const validated = definition.commands ? validate(definition.commands, given) : { value: given };
  assert(
    "value" in validated,
    `the command is invalid: ${"issues" in validated && validated.issues.join("; ")}`,
  );
  const decided = decideCommand(definition, deepFreeze(validated.value as Typed), state, context);
  if ("error" in decided) return { events: [], reply: undefined, error: decided.error, state };
  const events = decided.events.map((event, at) =>
    storedEvent(definition, context.id, event, context.sequenceNr + at + 1),
  );
  return { events, reply: decided.reply, error: undefined, state: deepFreeze(decided.state) };
}

function endOf<Definition extends AnyEntity>(
  end: Omit<ScenarioEnd<Definition>, "then">,
): ScenarioEnd<Definition> {
  const self: ScenarioEnd<Definition> = {
    ...end,
    // biome-ignore lint/suspicious/noThenProperty: the word of the trade; `await` is refused below
    then(expected) {
      if (typeof expected === "function") throw new TypeError("a scenario is not a promise: do not await it");
      if (isExpectedError(expected)) assertError(end.error, expected);
      else {
        if (end.error !== undefined) throw end.error;
        assert.deepStrictEqual(end.events, Array.isArray(expected) ? expected : [expected]);
      }
      return self;
    },
  };
  return self;
}

function isExpectedError(expected: unknown): expected is ExpectedError {
  return !Array.isArray(expected) && !isTyped(expected);
}

function assertError(error: EntityError | undefined, expected: ExpectedError): void {
  assert.equal(error?.code, "error" in expected ? expected.error : "ENTITY_COMMAND_REFUSED");
  if ("error" in expected) return;
  const { reason } = (error?.details ?? {}) as { reason?: string };
  assert.equal(reason, expected.refused);
}
