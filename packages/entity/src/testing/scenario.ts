import assert from "node:assert/strict";
import { type TransactWriteItem, validate } from "@tablekeep/core";
import { decideCommand } from "../definition/decide-command.ts";
import { type DecideContext, isTyped, type Typed } from "../definition/decision.ts";
import type {
  AnyEntity,
  CommandOf,
  EventOf,
  LooseEntity,
  ReplyOf,
  StateOf,
} from "../definition/entity-definition.ts";
import type { EntityError, EntityErrorCode } from "../entity-error.ts";
import { deepFreeze, storedEvent } from "./storage-copy.ts";

/** An expected error, by its code, or an expected refusal, by its reason. */
export type ExpectedError = { readonly error: EntityErrorCode } | { readonly refused: string };

/** The result of a command. */
export interface ScenarioEnd<Definition extends AnyEntity> {
  readonly events: readonly EventOf<Definition>[];
  /** Undefined if the command failed. */
  readonly reply: ReplyOf<Definition> | undefined;
  readonly error: EntityError | undefined;
  /** The items to write with the events. */
  readonly alsoWrite: readonly TransactWriteItem[];
  /** The metadata that the decision adds to its events. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  /** The state after the events. */
  readonly state: StateOf<Definition>;
  /** Throws unless the command resulted in these events or this error. Returns itself, for further checks. */
  then(
    expected: EventOf<Definition> | readonly EventOf<Definition>[] | ExpectedError,
  ): ScenarioEnd<Definition>;
}

/** The context that a scenario passes to `decide`. */
export interface ScenarioContext {
  /** @default "id" */
  readonly id?: string;
  /** Milliseconds since 1970. @default 0 */
  readonly now?: number;
  readonly commandId?: string;
  /** @default "id-1", "id-2" and so on */
  readonly newId?: () => string;
}

/** A history of events, and the command that follows. */
export interface Scenario<Definition extends AnyEntity> {
  /** Carries out the command. */
  when(command: CommandOf<Definition>, context?: ScenarioContext): ScenarioEnd<Definition>;
}

/**
 * Returns a function for tests of one entity without a store, in any test runner. It freezes states and events, and
 * encodes and decodes events like a journal, so that impure functions and events that cannot be stored fail the test.
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
  assert(isTyped(given), "a command must be an object with a type");
  const validated = definition.commands ? validate(definition.commands, given) : { value: given };
  assert(
    "value" in validated,
    `the command is invalid: ${"issues" in validated && validated.issues.join("; ")}`,
  );
  const decided = decideCommand(definition, deepFreeze(validated.value as Typed), state, context);
  if ("error" in decided) {
    const nothing = { events: [], reply: undefined, alsoWrite: [], metadata: undefined };
    return { ...nothing, error: decided.error, state };
  }
  const { reply, alsoWrite, metadata } = decided;
  const events = decided.events.map((event, at) =>
    storedEvent(definition, context.id, event, context.sequenceNr + at + 1),
  );
  return { events, reply, alsoWrite, metadata, error: undefined, state: deepFreeze(decided.state) };
}

function endOf<Definition extends AnyEntity>(
  end: Omit<ScenarioEnd<Definition>, "then">,
): ScenarioEnd<Definition> {
  const self: ScenarioEnd<Definition> = {
    ...end,
    // biome-ignore lint/suspicious/noThenProperty: given-when-then is the established name; `await` is rejected below
    then(expected) {
      if (typeof expected === "function") throw new TypeError("a scenario is not a promise; do not await it");
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
