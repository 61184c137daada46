import { isDeepStrictEqual } from "node:util";
import type { DecideContext, Typed } from "../definition/decision.ts";
import type { LooseEntity } from "../definition/entity-definition.ts";
import { decideCommand } from "../host/decide-command.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { storedCopy, storedEvent } from "./stored-copy.ts";

/** What must hold of every state. Gives false or a reason, or throws, if it does not. */
export type LooseInvariant = (state: unknown) => unknown;

const id = "id";

/** An entity that lives through commands, with all that happened. */
export interface Life {
  state: unknown;
  readonly events: Typed[];
  /** A state after each event, as a snapshot gives it back; the first is the initial one. */
  readonly snapshots: unknown[];
}

/** Before the first command. */
export function newLife(definition: LooseEntity): Life {
  const state = deepFreeze(definition.initial(id));
  return { state, events: [], snapshots: [storedCopy(state)] };
}

/** Carries out one command and checks what must hold after it; gives what is wrong, if anything. */
export function liveOn(
  definition: LooseEntity,
  life: Life,
  command: Typed,
  invariant: LooseInvariant | undefined,
): string | undefined {
  deepFreeze(command);
  const decided = decideCommand(definition, command, life.state, contextAt(life.events.length));
  const again = decideCommand(definition, command, life.state, contextAt(life.events.length));
  if ("error" in decided) return expectable(decided.error.code) ? undefined : messageOf(decided.error);
  if ("error" in again || !isDeepStrictEqual(decided.events, again.events))
    return `decide gives other events for ${command.type} the second time: it is not pure`;
  for (const event of decided.events) {
    try {
      const stored = storedEvent(definition, id, event, life.events.length + 1);
      life.state = deepFreeze(definition.evolve(life.state, stored));
      life.events.push(stored);
      life.snapshots.push(storedCopy(life.state));
    } catch (error) {
      return `event ${event.type} of ${command.type}: ${messageOf(error)}`;
    }
  }
  return brokenInvariant(invariant, life.state) ?? wrongRecovery(definition, life);
}

/** Commands may be refused, or not be known; that is no fault of the entity. */
function expectable(code: string): boolean {
  return code === "ENTITY_COMMAND_REFUSED" || code === "ENTITY_COMMAND_UNKNOWN";
}

function contextAt(sequenceNr: number): DecideContext {
  let drawn = 0;
  return {
    id,
    now: sequenceNr * 1000,
    sequenceNr,
    commandId: undefined,
    newId: () => `id-${sequenceNr}-${++drawn}`,
  };
}

function brokenInvariant(invariant: LooseInvariant | undefined, state: unknown): string | undefined {
  if (invariant === undefined) return undefined;
  try {
    const verdict = invariant(state);
    return verdict === undefined || verdict === true ? undefined : `invariant: ${String(verdict)}`;
  } catch (error) {
    return `invariant: ${messageOf(error)}`;
  }
}

/** A crash at this moment: from every snapshot, and from none, the same state must come back. */
function wrongRecovery(definition: LooseEntity, { state, events, snapshots }: Life): string | undefined {
  for (const [from, snapshot] of snapshots.entries()) {
    const start = from === 0 ? deepFreeze(definition.initial(id)) : snapshot;
    const recovered = events
      .slice(from)
      .reduce((before, event) => deepFreeze(definition.evolve(before, event)), start);
    if (!isDeepStrictEqual(storedCopy(recovered), storedCopy(state)))
      return `recovered from ${from === 0 ? "no snapshot" : `a snapshot at ${from}`}, the state is another`;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message === undefined ? String(message ?? error) : `${message}: ${cause.message}`;
}
