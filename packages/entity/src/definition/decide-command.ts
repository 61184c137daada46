import { type TransactWriteItem, validate } from "@tablekeep/core";
import { type EntityAddress, EntityError } from "../entity-error.ts";
import { type DecideContext, type Decision, isTyped, type Refusal, type Typed } from "./decision.ts";
import type { LooseEntity } from "./entity-definition.ts";

/** The result of deciding a command. */
export type Decided =
  | {
      readonly events: readonly Typed[];
      readonly atomic: boolean;
      readonly reply: unknown;
      readonly alsoWrite: readonly TransactWriteItem[];
      readonly metadata: Readonly<Record<string, unknown>> | undefined;
      /** The state after the events. */
      readonly state: unknown;
    }
  | { readonly error: EntityError };

/** Decides a command on a state. Never throws: a failure is the answer to this command only. */
export function decideCommand(
  definition: LooseEntity,
  command: Typed,
  state: unknown,
  context: DecideContext,
): Decided {
  const address = { entity: definition.type, id: context.id };
  const about = { ...address, command: command.type };
  const name = `${address.entity} ${address.id}: ${command.type}`;
  let result: unknown;
  try {
    result = definition.decide(command, state, context);
  } catch (cause) {
    const message = `${name}: decide threw (see the cause)`;
    return { error: new EntityError("ENTITY_DECIDE_FAILED", message, about, { cause }) };
  }
  if (result === undefined) {
    const message = `${name}: decide returned undefined for this command`;
    return { error: new EntityError("ENTITY_COMMAND_UNKNOWN", message, about) };
  }
  if (isRefusal(result)) {
    const { refused: reason, facts } = result;
    const message = `${name}: refused: ${reason}`;
    return { error: new EntityError("ENTITY_COMMAND_REFUSED", message, { ...about, reason, facts }) };
  }
  const events = eventsOf(definition, result);
  const invalid = typeof events === "string" ? events : wrongExtras(result as AnyDecision, events);
  if (typeof events === "string" || invalid !== undefined) {
    const reason = invalid ?? "";
    const message = `${name}: the decision is invalid: ${reason}`;
    return { error: new EntityError("ENTITY_DECISION_INVALID", message, { ...about, reason }) };
  }
  const { atomic = true, reply, alsoWrite = [], metadata } = result as AnyDecision;
  const after = evolveAll(definition, address, state, events);
  if (after instanceof EntityError) return { error: after };
  return {
    events,
    // The items are written with all events, or not at all.
    atomic: atomic || events.length < 2 || alsoWrite.length > 0,
    reply,
    // Nothing changes them; the transaction's types only do not say so.
    alsoWrite: alsoWrite as readonly TransactWriteItem[],
    metadata,
    state: after.state,
  };
}

type AnyDecision = Decision<Typed, unknown>;

/** The members of a decision. */
const members: Readonly<Record<keyof AnyDecision, true>> = {
  events: true,
  atomic: true,
  reply: true,
  alsoWrite: true,
  metadata: true,
};

const actions = ["Put", "Update", "Delete", "ConditionCheck"];

/** Returns what is wrong with the members, the items and the metadata of a decision; undefined if nothing is. */
function wrongExtras(decision: AnyDecision, events: readonly Typed[]): string | undefined {
  // Types do not reject `event` in place of `events`: the reply would confirm a command that stored nothing.
  const unknown = Object.keys(decision).find((name) => !Object.hasOwn(members, name));
  if (unknown !== undefined)
    return `its member ${unknown} is unknown; expected ${Object.keys(members).join(", ")}`;
  const { alsoWrite, metadata } = decision;
  if (metadata !== undefined && !isPlainObject(metadata)) return "metadata must be a plain object";
  if (alsoWrite === undefined) return undefined;
  if (!Array.isArray(alsoWrite)) return "alsoWrite must be an array of transaction items";
  for (const [at, item] of (alsoWrite as readonly unknown[]).entries()) {
    const [action, ...others] = isPlainObject(item) ? Object.entries(item) : [];
    const isAction = others.length === 0 && action !== undefined && actions.includes(action[0]);
    if (!isAction || typeof (action[1] as { TableName?: unknown } | null)?.TableName !== "string")
      return `alsoWrite[${at}] must be an object with one of ${actions.join(", ")}, which has a TableName`;
  }
  // The sequence number of an event shows later whether a write with an unknown outcome was applied.
  return alsoWrite.length > 0 && events.length === 0 ? "alsoWrite requires at least one event" : undefined;
}

/** Whether a value is an object with string keys, not an array and not an instance of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isRefusal(result: unknown): result is Refusal {
  return (
    typeof result === "object" && result !== null && typeof (result as Partial<Refusal>).refused === "string"
  );
}

/** Returns the validated events of a decision, or what is wrong with it. */
function eventsOf(definition: LooseEntity, result: unknown): readonly Typed[] | string {
  if (typeof result !== "object" || result === null) return "decide must return an object";
  if (result instanceof Promise) {
    result.catch(() => undefined);
    return "decide must not be asynchronous, but it returned a promise";
  }
  const { events = [] } = result as Decision<unknown, unknown>;
  const valid: Typed[] = [];
  for (const event of Array.isArray(events) ? (events as readonly unknown[]) : [events]) {
    if (!isTyped(event)) return "an event must be an object with a type";
    const validated = definition.events ? validate(definition.events, event) : { value: event };
    if ("issues" in validated) return `event ${event.type}: ${validated.issues.join("; ")}`;
    valid.push(validated.value as Typed);
  }
  return valid;
}

function evolveAll(
  definition: LooseEntity,
  address: EntityAddress,
  state: unknown,
  events: readonly Typed[],
): { readonly state: unknown } | EntityError {
  let after = state;
  for (const event of events) {
    try {
      after = definition.evolve(after, event);
    } catch (cause) {
      const message = `${address.entity} ${address.id}: evolve threw for new event ${event.type} (see the cause); nothing was written`;
      return new EntityError("ENTITY_EVOLVE_FAILED", message, { ...address, event: event.type }, { cause });
    }
  }
  return { state: after };
}
