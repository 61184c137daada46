import type { DecideContext, Decision, Refusal, Typed } from "../definition/decision.ts";
import type { LooseEntity } from "../definition/entity-definition.ts";
import { isTyped } from "../definition/is-typed.ts";
import { validate } from "../definition/validate.ts";
import { EntityError, type EntityPlace } from "../entity-error.ts";

/** What a command leads to, in full. */
export type Decided =
  | {
      readonly events: readonly Typed[];
      readonly atomic: boolean;
      readonly reply: unknown;
      /** After the events. */
      readonly state: unknown;
    }
  | { readonly error: EntityError };

/** Decides a command on a state. Never throws: whatever is wrong is the answer to this one command. */
export function decideCommand(
  definition: LooseEntity,
  command: Typed,
  state: unknown,
  context: DecideContext,
): Decided {
  const place = { entity: definition.type, id: context.id };
  const about = { ...place, command: command.type };
  const name = `${place.entity} ${place.id}: ${command.type}`;
  let result: unknown;
  try {
    result = definition.decide(command, state, context);
  } catch (cause) {
    const message = `${name}: decide threw: see the cause`;
    return { error: new EntityError("ENTITY_DECIDE_FAILED", message, about, { cause }) };
  }
  if (result === undefined) {
    const message = `${name}: decide has no decision for this command`;
    return { error: new EntityError("ENTITY_COMMAND_UNKNOWN", message, about) };
  }
  if (isRefusal(result)) {
    const { refused: reason, facts } = result;
    const message = `${name}: refused: ${reason}`;
    return { error: new EntityError("ENTITY_COMMAND_REFUSED", message, { ...about, reason, facts }) };
  }
  const events = eventsOf(definition, result);
  if (typeof events === "string") {
    const message = `${name}: decide gave no valid decision: ${events}`;
    return { error: new EntityError("ENTITY_DECISION_INVALID", message, { ...about, reason: events }) };
  }
  const { atomic = true, reply } = result as Decision<Typed, unknown>;
  const after = evolveAll(definition, place, state, events);
  return after instanceof EntityError
    ? { error: after }
    : { events, atomic: atomic || events.length < 2, reply, state: after.state };
}

function isRefusal(result: unknown): result is Refusal {
  return (
    typeof result === "object" && result !== null && typeof (result as Partial<Refusal>).refused === "string"
  );
}

/** The events of a decision, validated; or what is wrong with it. */
function eventsOf(definition: LooseEntity, result: unknown): readonly Typed[] | string {
  if (typeof result !== "object" || result === null) return "it is no object";
  if (result instanceof Promise) {
    result.catch(() => undefined);
    return "it is a promise: decide must not wait for anything";
  }
  const { events = [] } = result as Decision<unknown, unknown>;
  const valid: Typed[] = [];
  for (const event of Array.isArray(events) ? (events as readonly unknown[]) : [events]) {
    if (!isTyped(event)) return "an event is no object with a type";
    const validated = definition.events ? validate(definition.events, event) : { value: event };
    if ("issues" in validated) return `event ${event.type}: ${validated.issues.join("; ")}`;
    valid.push(validated.value as Typed);
  }
  return valid;
}

function evolveAll(
  definition: LooseEntity,
  place: EntityPlace,
  state: unknown,
  events: readonly Typed[],
): { readonly state: unknown } | EntityError {
  let after = state;
  for (const event of events) {
    try {
      after = definition.evolve(after, event);
    } catch (cause) {
      const message = `${place.entity} ${place.id}: evolve threw for ${event.type}: see the cause; nothing was written`;
      return new EntityError("ENTITY_EVOLVE_FAILED", message, { ...place, event: event.type }, { cause });
    }
  }
  return { state: after };
}
