import { type OptionCheck, type OptionChecks, optionCheck } from "@tablekeep/core";
import type { Typed } from "../definition/decision.ts";
import type { AnyEntity, EntityDefinition, LooseEntity } from "../definition/entity-definition.ts";
import { isTyped } from "../definition/is-typed.ts";
import { validate } from "../definition/validate.ts";
import { EntityError, type EntityPlace } from "../entity-error.ts";
import { fingerprint } from "../ledger/fingerprint.ts";
import { checkOptions, ofEntity, optionInvalid } from "../options/check-options.ts";
import { findSnapshot } from "../recovery/find-snapshot.ts";
import { recoverState } from "../recovery/recover-state.ts";
import { checkRecoveryOptions } from "../recovery/recovery-options.ts";
import type { CellKeeper } from "./cell-keeper.ts";
import { type EntityCell, entityCell } from "./entity-cell.ts";
import type { AskOptions, Entities, EntityCallOptions } from "./entity-host.ts";
import { forgetEntity } from "./forget-entity.ts";
import type { HostContext } from "./host-context.ts";
import { pendingAsk } from "./pending-ask.ts";

/** What the entities of a host share. */
export interface HostState {
  readonly context: HostContext;
  readonly cells: CellKeeper;
  /** Commands whose callers wait. */
  pending: number;
  closed: boolean;
}

/** A definition of anything. */
type LooseDefinition = EntityDefinition<unknown, never, unknown, unknown>;

/** AWS: a sort key has 1,024 bytes at most. */
const maxCommandIdBytes = 1024;

const commandId: OptionCheck = (value) =>
  optionCheck.id(value) ??
  (Buffer.byteLength(value as string) > maxCommandIdBytes
    ? `must have at most ${maxCommandIdBytes} bytes`
    : undefined);

const askChecks: OptionChecks<AskOptions> = {
  commandId,
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};
/** The parts of a `Moment`, of which it has one. */
interface MomentParts {
  readonly sequenceNr?: number | undefined;
  readonly timestamp?: number | undefined;
}

const momentChecks: OptionChecks<MomentParts> = {
  sequenceNr: optionCheck.wholeNumber(0),
  timestamp: optionCheck.upperBound,
};
const callChecks: OptionChecks<EntityCallOptions> = {
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** The entities of one definition, on a host. */
export function entitiesOf<Definition extends AnyEntity>(
  host: HostState,
  typed: Definition,
): Entities<Definition> {
  // Commands, events and states were checked against each other where the definition was written.
  const definition = typed as unknown as LooseEntity;
  const { context } = host;
  const entities: Entities<LooseDefinition> = {
    ask: async (id, command, options = {}) => ask(host, definition, id, command, options),
    async recover(id, options = {}) {
      checkRecoveryOptions(options);
      checkId(id);
      const { state, sequenceNr } = await recoverState(context, definition, id, {
        ...options,
        deadlineMs: options.deadlineMs ?? context.deadlineMs,
      });
      return { state, sequenceNr };
    },
    async stateAt(id, moment, options = {}) {
      checkOptions<MomentParts>(moment, momentChecks, "moment");
      checkOptions(options, callChecks);
      const { sequenceNr, timestamp } = moment;
      if ((sequenceNr === undefined) === (timestamp === undefined))
        throw optionInvalid("moment", "must have either a sequenceNr or a timestamp");
      return entities.recover(id, { ...options, toSequenceNr: sequenceNr, toTimestamp: timestamp });
    },
    deleteEvents: (id, to, options = {}) => refusingId(deleteEvents(context, definition, id, to, options)),
    async forget(id, options = {}) {
      checkOptions(options, callChecks);
      checkId(id);
      if (host.closed) throw hostClosed();
      const cell = cellOf(host, definition, id);
      await refusingId(cell.alone(() => forgetEntity(context, definition, id, options)));
    },
  };
  return entities as unknown as Entities<Definition>;
}

function checkId(id: string): void {
  const reason = optionCheck.id(id);
  if (reason !== undefined) throw optionInvalid("id", reason);
}

/** Takes a command in. Throws what can be told at once. */
function ask(
  host: HostState,
  definition: LooseEntity,
  id: string,
  given: unknown,
  options: AskOptions,
): Promise<unknown> {
  const { context } = host;
  const { commandId, deadlineMs = context.deadlineMs } = options;
  if (host.closed) throw hostClosed();
  checkOptions(options, askChecks);
  checkId(id);
  if (commandId !== undefined && context.ledger === undefined)
    throw optionInvalid("commandId", "needs a ledger: open the host with one");
  const place = { entity: definition.type, id };
  const command = checkCommand(definition, place, given);
  const persistenceId = definition.persistenceId(id);
  const identified =
    commandId === undefined
      ? undefined
      : { place, persistenceId, commandId, fingerprint: printOf(place, command) };
  const cell = cellOf(host, definition, id);
  if (cell.waiting >= context.maxQueue) throw busy(place, cell.waiting);
  if (host.pending >= context.maxPending) throw busy(place, host.pending);
  host.pending++;
  const { ask: pending, reply } = pendingAsk(command, {
    clock: context.clock,
    place,
    deadlineMs,
    signal: options.signal,
    identified,
    onAnswered: () => {
      host.pending--;
    },
  });
  if (!pending.answered) cell.take(pending);
  return reply;
}

/** What `work` gives. An id that the tables cannot hold is a wrong id here. */
async function refusingId<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => Promise.reject(ofEntity(error)));
}

/** The cell of an entity; made if it is not in memory. */
function cellOf({ context, cells }: HostState, definition: LooseEntity, id: string): EntityCell {
  const persistenceId = definition.persistenceId(id);
  const place = { entity: definition.type, id };
  return cells.get(persistenceId, () => entityCell(context, { definition, place, persistenceId }));
}

function hostClosed(): EntityError {
  return new EntityError("ENTITY_HOST_CLOSED", "the host is closed: open another one to go on", {});
}

function checkCommand(definition: LooseEntity, place: EntityPlace, command: unknown): Typed {
  if (!isTyped(command)) throw commandInvalid(place, ["it is no object with a type"]);
  if (definition.commands === undefined) return command;
  const validated = validate(definition.commands, command);
  if ("issues" in validated) throw commandInvalid(place, validated.issues);
  return validated.value as Typed;
}

function printOf(place: EntityPlace, command: Typed): string {
  try {
    return fingerprint(command);
  } catch {
    throw commandInvalid(place, ["with an id it must be plain data, to be told from others of the same id"]);
  }
}

function commandInvalid(place: EntityPlace, issues: readonly string[]): EntityError {
  const message = `${place.entity} ${place.id}: the command is invalid: ${issues.join("; ")}`;
  return new EntityError("ENTITY_COMMAND_INVALID", message, { ...place, issues });
}

function busy(place: EntityPlace, waiting: number): EntityError {
  return new EntityError(
    "ENTITY_BUSY",
    `${place.entity} ${place.id}: ${waiting} commands wait already: wait for some to end before you give more`,
    { ...place, waiting },
  );
}

async function deleteEvents(
  context: HostContext,
  definition: LooseEntity,
  id: string,
  toSequenceNr: number,
  options: EntityCallOptions,
): Promise<void> {
  checkOptions(options, callChecks);
  checkId(id);
  const { signal: abort, deadlineMs } = options;
  const persistenceId = definition.persistenceId(id);
  const call = { signal: abort, deadlineMs: deadlineMs ?? context.deadlineMs };
  const newest =
    context.snapshots && (await findSnapshot(context.snapshots, definition, persistenceId, call));
  const covered = newest?.sequenceNr ?? 0;
  if (!Number.isSafeInteger(toSequenceNr) || toSequenceNr < 1 || toSequenceNr > covered) {
    throw new EntityError(
      "ENTITY_DELETE_REFUSED",
      `${definition.type} ${id}: events up to ${toSequenceNr} cannot go: snapshots stand for those up to ${covered}`,
      { entity: definition.type, id, toSequenceNr, covered },
    );
  }
  await context.journal.deleteTo(persistenceId, toSequenceNr, {
    signal: abort,
    ...(deadlineMs && { deadlineMs }),
  });
}
