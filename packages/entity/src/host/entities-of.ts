import {
  isTablekeepError,
  type OptionCheck,
  type OptionChecks,
  optionCheck,
  validate,
} from "@tablekeep/core";
import { createCodecs } from "@tablekeep/journal";
import { checkCall, checkId, checkOptions, idErrorOf, optionInvalid } from "../call-options.ts";
import type { HostContext } from "../cell/cell.ts";
import type { CellKeeper } from "../cell/cell-keeper.ts";
import { type EntityCell, entityCell } from "../cell/entity-cell.ts";
import { pendingAsk } from "../cell/pending-ask.ts";
import { isPlainObject } from "../definition/decide-command.ts";
import { isTyped, type Typed } from "../definition/decision.ts";
import type { AnyEntity, EntityDefinition, EntityRef, LooseEntity } from "../definition/entity-definition.ts";
import { definitionFailed, type EntityAddress, EntityError } from "../entity-error.ts";
import { fingerprint } from "../ledger/command-ledger.ts";
import { rebuildState } from "../recovery/rebuild-state.ts";
import { checkRecoveryOptions } from "../recovery/recovery-options.ts";
import { deleteEvents, forgetEntity } from "./delete-entity.ts";
import type { AskOptions, Entities } from "./entity-host.ts";

/** The shared state of all entities of a host. */
export interface HostState {
  readonly context: HostContext;
  readonly cells: CellKeeper;
  /** Number of commands whose callers wait. */
  pending: number;
  closed: boolean;
}

/** A definition of any types. */
type LooseDefinition = EntityDefinition<unknown, never, unknown, unknown>;

/** AWS: a sort key has at most 1,024 bytes. */
const maxCommandIdBytes = 1024;

const commandId: OptionCheck = (value) =>
  optionCheck.id(value) ??
  (Buffer.byteLength(value as string) > maxCommandIdBytes
    ? `must have at most ${maxCommandIdBytes} bytes`
    : undefined);

const askChecks: OptionChecks<AskOptions> = {
  commandId,
  correlationId: optionCheck.id,
  causationId: optionCheck.id,
  metadata: checkMetadata,
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** Metadata must be a plain object that the journal stores without loss. */
function checkMetadata(value: unknown): string | undefined {
  if (!isPlainObject(value)) return "must be a plain object";
  try {
    codecs.encode(value);
    return undefined;
  } catch (error) {
    return `must be plain data: ${isTablekeepError(error) ? error.message : String(error)}`;
  }
}

const codecs = createCodecs();

/** The members of a `Moment`, which has exactly one of them. */
interface MomentParts {
  readonly sequenceNr?: number;
  readonly timestamp?: number;
}

const momentChecks: OptionChecks<MomentParts> = {
  sequenceNr: optionCheck.integer(0),
  timestamp: optionCheck.upperBound,
};

/** Returns the entities of one definition, on a host. */
export function entitiesOf<Definition extends AnyEntity>(
  host: HostState,
  typed: Definition,
): Entities<Definition> {
  // The types of commands, events and states were checked against each other where the definition was written.
  const definition = typed as unknown as LooseEntity;
  const { context } = host;
  const entities: Entities<LooseDefinition> = {
    ask: async (id, command, options = {}) => ask(host, definition, id, command, options),
    async read(id, options = {}) {
      checkRecoveryOptions(options);
      checkId(id);
      const deadlineMs = options.deadlineMs ?? context.deadlineMs;
      const rebuilt = await rebuildState(context, refOf(definition, id), { ...options, deadlineMs });
      return { state: rebuilt.state, sequenceNr: rebuilt.sequenceNr };
    },
    async stateAt(id, moment, options = {}) {
      checkOptions<MomentParts>(moment, momentChecks, "moment");
      checkCall(id, options);
      const { sequenceNr, timestamp } = moment;
      if ((sequenceNr === undefined) === (timestamp === undefined))
        throw optionInvalid("moment", "must have either a sequenceNr or a timestamp");
      return entities.read(id, { ...options, toSequenceNr: sequenceNr, toTimestamp: timestamp });
    },
    async deleteEvents(id, to, options = {}) {
      checkCall(id, options);
      await withIdErrors(deleteEvents(context, refOf(definition, id), to, options));
    },
    async forget(id, options = {}) {
      checkCall(id, options);
      if (host.closed) throw hostClosed();
      const entity = refOf(definition, id);
      await withIdErrors(cellOf(host, entity).runAlone(() => forgetEntity(context, entity, options)));
    },
  };
  return entities as unknown as Entities<Definition>;
}

/** Queues a command. Throws what can be reported at once. */
function ask(
  host: HostState,
  definition: LooseEntity,
  id: string,
  given: unknown,
  options: AskOptions,
): Promise<unknown> {
  const { context } = host;
  if (host.closed) throw hostClosed();
  checkOptions(options, askChecks);
  const { commandId, deadlineMs = context.deadlineMs } = options;
  checkId(id);
  if (commandId !== undefined && context.ledger === undefined)
    throw optionInvalid("commandId", "requires a ledger: open the host with one");
  const entity = refOf(definition, id);
  const { address, persistenceId } = entity;
  const command = checkCommand(definition, address, given);
  const identified =
    commandId === undefined
      ? undefined
      : { address, persistenceId, commandId, fingerprint: fingerprintOf(address, command) };
  const cell = cellOf(host, entity);
  if (cell.waiting >= context.maxQueue) throw busy(address, cell.waiting);
  if (host.pending >= context.maxPending) throw busy(address, host.pending);
  host.pending++;
  const { ask: pending, reply } = pendingAsk(command, {
    clock: context.clock,
    address,
    deadlineMs,
    signal: options.signal,
    identified,
    origin: {
      correlationId: options.correlationId,
      causationId: options.causationId ?? commandId,
      metadata: options.metadata,
    },
    onAnswered: () => {
      host.pending--;
    },
  });
  if (!pending.answered) cell.add(pending);
  return reply;
}

/** Reports a persistence id that the tables cannot hold as an invalid id. */
async function withIdErrors<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => Promise.reject(idErrorOf(error)));
}

function refOf(definition: LooseEntity, id: string): EntityRef {
  const address = { entity: definition.type, id };
  return { definition, address, persistenceId: persistenceIdOf(definition, address) };
}

function persistenceIdOf(definition: LooseEntity, address: EntityAddress): string {
  let persistenceId: unknown;
  try {
    persistenceId = definition.persistenceId(address.id);
  } catch (error) {
    throw definitionFailed(address, "persistenceId", "threw", error);
  }
  const reason = optionCheck.id(persistenceId);
  if (reason !== undefined)
    throw definitionFailed(address, "persistenceId", `returned a value that ${reason}`);
  return persistenceId as string;
}

/** Returns the cell of an entity, and creates it if the entity is not in memory. */
function cellOf({ context, cells }: HostState, entity: EntityRef): EntityCell {
  return cells.get(entity.persistenceId, () => entityCell(context, entity));
}

function hostClosed(): EntityError {
  return new EntityError("ENTITY_HOST_CLOSED", "the host is closed; open another one", {});
}

function checkCommand(definition: LooseEntity, address: EntityAddress, command: unknown): Typed {
  if (!isTyped(command)) throw commandInvalid(address, ["it must be an object with a type"]);
  if (definition.commands === undefined) return command;
  const validated = validate(definition.commands, command);
  if ("issues" in validated && validated.failed)
    throw definitionFailed(address, "commands", validated.issues.join("; "));
  if ("issues" in validated) throw commandInvalid(address, validated.issues);
  return validated.value as Typed;
}

function fingerprintOf(address: EntityAddress, command: Typed): string {
  try {
    return fingerprint(command);
  } catch {
    throw commandInvalid(address, ["a command with an id must be plain data"]);
  }
}

function commandInvalid(address: EntityAddress, issues: readonly string[]): EntityError {
  const message = `${address.entity} ${address.id}: the command is invalid: ${issues.join("; ")}`;
  return new EntityError("ENTITY_COMMAND_INVALID", message, { ...address, issues });
}

function busy(address: EntityAddress, waiting: number): EntityError {
  const message = `${address.entity} ${address.id}: ${waiting} commands are already waiting (retry later)`;
  return new EntityError("ENTITY_BUSY", message, { ...address, waiting });
}
