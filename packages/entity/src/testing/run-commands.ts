import { isDeepStrictEqual } from "node:util";
import { type Decided, decideCommand } from "../definition/decide-command.ts";
import type { DecideContext, Typed } from "../definition/decision.ts";
import type { LooseEntity } from "../definition/entity-definition.ts";
import { deepFreeze, storedCopy, storedEvent } from "./storage-copy.ts";

/** Checks a state. Returns false or a reason, or throws, if it is invalid. */
export type LooseInvariant = (state: unknown) => unknown;

const id = "id";

/** An entity in memory, with its events and a snapshot after each of them. */
export interface History {
  state: unknown;
  readonly events: Typed[];
  /** The state after each event, as a snapshot returns it; the first is the initial state. */
  readonly snapshots: unknown[];
}

/** Returns an entity before its first command. */
export function newHistory(definition: LooseEntity): History {
  const state = deepFreeze(definition.initial(id));
  return { state, events: [], snapshots: [storedCopy(state)] };
}

/** Carries out a command and checks the result. Returns what is wrong, if anything. */
export function carryOut(
  definition: LooseEntity,
  history: History,
  command: Typed,
  invariant: LooseInvariant | undefined,
): string | undefined {
  deepFreeze(command);
  const decided = decideCommand(definition, command, history.state, contextAt(history.events.length));
  const again = decideCommand(definition, command, history.state, contextAt(history.events.length));
  if ("error" in decided) return isExpected(decided.error.code) ? undefined : messageOf(decided.error);
  if ("error" in again || !isDeepStrictEqual(written(decided), written(again)))
    return `decide returned another decision for ${command.type} the second time: it must be pure`;
  for (const event of decided.events) {
    try {
      const stored = storedEvent(definition, id, event, history.events.length + 1);
      history.state = deepFreeze(definition.evolve(history.state, stored));
      history.events.push(stored);
      history.snapshots.push(storedCopy(history.state));
    } catch (error) {
      return `event ${event.type} of ${command.type}: ${messageOf(error)}`;
    }
  }
  return brokenInvariant(invariant, history.state) ?? wrongRecovery(definition, history);
}

/** The parts of a decision that are stored. */
function written({ events, alsoWrite, metadata }: Extract<Decided, { readonly state: unknown }>): unknown {
  return { events, alsoWrite, metadata };
}

/** A refused or unknown command is not an error of the entity. */
function isExpected(code: string): boolean {
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

/** Recovers from every snapshot, and from none: the state must be the same. */
function wrongRecovery(definition: LooseEntity, { state, events, snapshots }: History): string | undefined {
  for (const [from, snapshot] of snapshots.entries()) {
    const start = from === 0 ? deepFreeze(definition.initial(id)) : snapshot;
    const recovered = events
      .slice(from)
      .reduce((before, event) => deepFreeze(definition.evolve(before, event)), start);
    if (!isDeepStrictEqual(storedCopy(recovered), storedCopy(state)))
      return `recovered from ${from === 0 ? "no snapshot" : `a snapshot at ${from}`}, the state is different`;
  }
  return undefined;
}

function messageOf(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message === undefined ? String(message ?? error) : `${message}: ${cause.message}`;
}
