import { type ErrorKind, isTablekeepError, nameErrors, TablekeepError } from "@tablekeep/core";

/** Which entity an error is about. */
export interface EntityPlace {
  /** The entity's type, as it was defined. */
  readonly entity: string;
  readonly id: string;
}

/** What goes wrong between a caller and an entity, by code. */
export interface EntityErrorDetails {
  /** An option or a part of a definition that is unknown, missing or of a wrong value. */
  ENTITY_OPTION_INVALID: { option: string; reason: string };
  /** A command that is none, or that its schema refuses. */
  ENTITY_COMMAND_INVALID: EntityPlace & { issues: readonly string[] };
  /** `decide` has no decision for this command. */
  ENTITY_COMMAND_UNKNOWN: EntityPlace & { command: string };
  /** `decide` refused the command. Nothing was written. */
  ENTITY_COMMAND_REFUSED: EntityPlace & { command: string; reason: string; facts: unknown };
  /** `decide` threw; its error is the cause. Nothing was written. */
  ENTITY_DECIDE_FAILED: EntityPlace & { command: string };
  /** What `decide` gave is no decision: events that are none, or that their schema refuses. */
  ENTITY_DECISION_INVALID: EntityPlace & { command: string; reason: string };
  /** `evolve` threw for a new event; its error is the cause. Nothing was written. */
  ENTITY_EVOLVE_FAILED: EntityPlace & { event: string };
  /** A new event that cannot be stored without loss. Nothing was written. */
  ENTITY_EVENT_INVALID: EntityPlace & { reason: string };
  /** A new event, or the decision, is larger than the journal allows. Nothing was written. */
  ENTITY_EVENT_TOO_LARGE: EntityPlace & { actual: number; maximum: number };
  /** A reply that the ledger cannot store. Nothing was written. */
  ENTITY_REPLY_INVALID: EntityPlace & { reason: string };
  /** A command id that was used before, for another command. */
  ENTITY_COMMAND_ID_REUSED: EntityPlace & { commandId: string };
  /** A stored event that this definition cannot read. */
  ENTITY_EVENT_UNREADABLE: EntityPlace & { sequenceNr: number; event: string; reason: string };
  /** The state could not be rebuilt; the reason is the cause. */
  ENTITY_RECOVERY_FAILED: EntityPlace;
  /** Events that are needed were deleted, and no snapshot stands for them. */
  ENTITY_HISTORY_DELETED: EntityPlace & { lowest: number };
  /** A snapshot contains events that the journal no longer has: it was purged or restored without the snapshots. */
  ENTITY_SNAPSHOT_AHEAD: EntityPlace & { snapshotNr: number; highest: number };
  /** A state that cannot be stored without loss: the entity gets no snapshots. Reported to the logger only. */
  ENTITY_STATE_INVALID: EntityPlace & { reason: string };
  /** Other writers were faster, again and again. Nothing was written. */
  ENTITY_CONFLICT: EntityPlace & { attempts: number };
  /** The store took nothing, and surely wrote nothing; its error is the cause. */
  ENTITY_NOT_STORED: EntityPlace;
  /** The events may be stored. */
  ENTITY_OUTCOME_UNKNOWN: EntityPlace;
  /** Of independent events some are stored, and others are not. */
  ENTITY_PARTLY_STORED: EntityPlace & { stored: number; of: number };
  /** More commands wait than allowed. */
  ENTITY_BUSY: EntityPlace & { waiting: number };
  /** No answer by the deadline. */
  ENTITY_DEADLINE_EXCEEDED: EntityPlace & { deadlineMs: number };
  /** The caller gave up. */
  ENTITY_ABORTED: EntityPlace;
  /** The host takes no more commands. */
  ENTITY_HOST_CLOSED: Record<never, never>;
  /** Events that no snapshot stands for would be deleted. */
  ENTITY_DELETE_REFUSED: EntityPlace & { toSequenceNr: number; covered: number };
}

export type EntityErrorCode = keyof EntityErrorDetails;

/** The kind of each code. `docs/reference/errors.md` lists the same. */
export const entityErrorKinds: Readonly<Record<EntityErrorCode, ErrorKind>> = {
  ENTITY_OPTION_INVALID: "invalid",
  ENTITY_COMMAND_INVALID: "invalid",
  ENTITY_COMMAND_UNKNOWN: "invalid",
  ENTITY_COMMAND_REFUSED: "invalid",
  ENTITY_DECIDE_FAILED: "invalid",
  ENTITY_DECISION_INVALID: "invalid",
  ENTITY_EVOLVE_FAILED: "invalid",
  ENTITY_EVENT_INVALID: "invalid",
  ENTITY_EVENT_TOO_LARGE: "limit",
  ENTITY_REPLY_INVALID: "invalid",
  ENTITY_COMMAND_ID_REUSED: "invalid",
  ENTITY_EVENT_UNREADABLE: "corrupt",
  ENTITY_RECOVERY_FAILED: "unavailable",
  ENTITY_HISTORY_DELETED: "not-found",
  ENTITY_SNAPSHOT_AHEAD: "corrupt",
  ENTITY_STATE_INVALID: "invalid",
  ENTITY_CONFLICT: "conflict",
  ENTITY_NOT_STORED: "unavailable",
  ENTITY_OUTCOME_UNKNOWN: "unavailable",
  ENTITY_PARTLY_STORED: "unavailable",
  ENTITY_BUSY: "throttled",
  ENTITY_DEADLINE_EXCEEDED: "unavailable",
  ENTITY_ABORTED: "aborted",
  ENTITY_HOST_CLOSED: "closed",
  ENTITY_DELETE_REFUSED: "invalid",
};

const retryable: ReadonlySet<EntityErrorCode> = new Set([
  "ENTITY_RECOVERY_FAILED",
  "ENTITY_CONFLICT",
  "ENTITY_NOT_STORED",
  "ENTITY_BUSY",
  "ENTITY_DEADLINE_EXCEEDED",
]);

/** What beside code, message and details an error of this room may say. */
export interface EntityErrorExtra {
  /** The command may have been carried out all the same. @default false */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** An error of this room. */
export class EntityError<Code extends EntityErrorCode = EntityErrorCode> extends TablekeepError<
  Code,
  EntityErrorDetails[Code]
> {
  static {
    nameErrors(EntityError, "EntityError");
  }

  constructor(code: Code, message: string, details: EntityErrorDetails[Code], extra: EntityErrorExtra = {}) {
    super({
      code,
      kind: entityErrorKinds[code],
      message,
      details,
      retryable: retryable.has(code) && extra.ambiguous !== true,
      ...extra,
    });
  }
}

/** Whether `error` is of this room and of this code. */
export function isEntityError<Code extends EntityErrorCode>(
  error: unknown,
  code: Code,
): error is EntityError<Code> {
  return isTablekeepError(error, code);
}
