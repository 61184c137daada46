import { type ErrorKind, type Item, isTablekeepError, nameErrors, TablekeepError } from "@tablekeep/core";

/** The entity that an error is about. */
export interface EntityAddress {
  /** The `type` of the definition. */
  readonly entity: string;
  readonly id: string;
}

/** The functions and schemas of a definition besides `decide` and `evolve`. */
export type DefinitionMember = "commands" | "initial" | "tags" | "persistenceId" | "upcastState";

/** The details of each error code. */
export interface EntityErrorDetails {
  /** An option, or a member of a definition, is unknown, missing or has an unsuitable value. */
  ENTITY_OPTION_INVALID: { option: string; reason: string };
  /** The command is not an object with a type, or its schema rejects it. */
  ENTITY_COMMAND_INVALID: EntityAddress & { issues: readonly string[] };
  /** `decide` returned undefined for this command. */
  ENTITY_COMMAND_UNKNOWN: EntityAddress & { command: string };
  /** `decide` refused the command. Nothing was written. */
  ENTITY_COMMAND_REFUSED: EntityAddress & { command: string; reason: string; facts: unknown };
  /** `decide` threw; its error is the cause. Nothing was written. */
  ENTITY_DECIDE_FAILED: EntityAddress & { command: string };
  /** `decide` returned something other than a decision, or an event that the schema rejects. Nothing was written. */
  ENTITY_DECISION_INVALID: EntityAddress & { command: string; reason: string };
  /** Another function of the definition threw, or returned an unsuitable value; see the cause. Nothing was written. */
  ENTITY_DEFINITION_FAILED: EntityAddress & { member: DefinitionMember; reason: string };
  /** `evolve` threw; its error is the cause. `sequenceNr` is set for a stored event. Nothing was written. */
  ENTITY_EVOLVE_FAILED: EntityAddress & { event: string; sequenceNr?: number };
  /** A new event cannot be stored without loss. Nothing was written. */
  ENTITY_EVENT_INVALID: EntityAddress & { reason: string };
  /** A new event, or all events of a decision, exceed the journal's limit. Nothing was written. */
  ENTITY_EVENT_TOO_LARGE: EntityAddress & { actual: number; maximum: number };
  /** The events and `alsoWrite` of a decision do not fit into one transaction. Nothing was written. */
  ENTITY_DECISION_TOO_LARGE: EntityAddress & { actual: number; maximum: number };
  /** The condition of an item in `alsoWrite` failed. Nothing was written. */
  ENTITY_ALSO_WRITE_REJECTED: EntityAddress & {
    command: string;
    /** Place of the item in `alsoWrite`, from 0. */
    index: number;
    /** The stored item, if the action has `ReturnValuesOnConditionCheckFailure: "ALL_OLD"`. */
    item?: Item;
  };
  /** An event is about a subject whose key was forgotten. Nothing was written. */
  ENTITY_SUBJECT_FORGOTTEN: EntityAddress & { subject: string };
  /** The ledger cannot store the reply. Nothing was written. */
  ENTITY_REPLY_INVALID: EntityAddress & { reason: string };
  /** The command id was used before, for another command. */
  ENTITY_COMMAND_ID_REUSED: EntityAddress & { commandId: string };
  /** This definition cannot read a stored event. */
  ENTITY_EVENT_UNREADABLE: EntityAddress & { sequenceNr: number; event: string; reason: string };
  /** The state could not be rebuilt; see the cause. Retryable if the cause is. */
  ENTITY_RECOVERY_FAILED: EntityAddress;
  /** Required events were deleted, and no suitable snapshot contains them. */
  ENTITY_HISTORY_DELETED: EntityAddress & { lowest: number };
  /** A snapshot contains events that the journal no longer has: it was purged or restored without the snapshots. */
  ENTITY_SNAPSHOT_AHEAD: EntityAddress & { snapshotNr: number; highest: number };
  /** The state cannot be stored without loss, so the entity gets no snapshots. Only logged. */
  ENTITY_STATE_INVALID: EntityAddress & { reason: string };
  /** Other writers were first, too many times. Nothing was written. */
  ENTITY_CONFLICT: EntityAddress & { attempts: number };
  /** The store rejected the write; see the cause. Nothing was written. Retryable if the cause is. */
  ENTITY_NOT_STORED: EntityAddress;
  /** The state or the ledger could not be read to check a reply; see the cause. Retryable if the cause is. */
  ENTITY_CHECK_FAILED: EntityAddress & { checked: "state" | "ledger" };
  /** The events may or may not be stored. */
  ENTITY_OUTCOME_UNKNOWN: EntityAddress;
  /** Some of the independent events are stored, and others are not. */
  ENTITY_PARTLY_STORED: EntityAddress & { stored: number; of: number };
  /** Too many commands are waiting. */
  ENTITY_BUSY: EntityAddress & { waiting: number };
  /** The deadline passed before the reply. */
  ENTITY_DEADLINE_EXCEEDED: EntityAddress & { deadlineMs: number };
  /** The caller's signal aborted the call. */
  ENTITY_ABORTED: EntityAddress;
  /** The host is closed. */
  ENTITY_HOST_CLOSED: Record<never, never>;
  /** No snapshot contains the events to delete. */
  ENTITY_DELETE_REFUSED: EntityAddress & { toSequenceNr: number; covered: number };
}

export type EntityErrorCode = keyof EntityErrorDetails;

/** The kind of each code, as listed in `docs/reference/errors.md`. */
export const entityErrorKinds: Readonly<Record<EntityErrorCode, ErrorKind>> = {
  ENTITY_OPTION_INVALID: "invalid",
  ENTITY_COMMAND_INVALID: "invalid",
  ENTITY_COMMAND_UNKNOWN: "invalid",
  ENTITY_COMMAND_REFUSED: "invalid",
  ENTITY_DECIDE_FAILED: "internal",
  ENTITY_DECISION_INVALID: "internal",
  ENTITY_DEFINITION_FAILED: "internal",
  ENTITY_EVOLVE_FAILED: "internal",
  ENTITY_EVENT_INVALID: "internal",
  ENTITY_EVENT_TOO_LARGE: "limit",
  ENTITY_DECISION_TOO_LARGE: "limit",
  ENTITY_ALSO_WRITE_REJECTED: "conflict",
  ENTITY_SUBJECT_FORGOTTEN: "invalid",
  ENTITY_REPLY_INVALID: "internal",
  ENTITY_COMMAND_ID_REUSED: "invalid",
  ENTITY_EVENT_UNREADABLE: "corrupt",
  ENTITY_RECOVERY_FAILED: "unavailable",
  ENTITY_HISTORY_DELETED: "not-found",
  ENTITY_SNAPSHOT_AHEAD: "corrupt",
  ENTITY_STATE_INVALID: "internal",
  ENTITY_CONFLICT: "conflict",
  ENTITY_NOT_STORED: "unavailable",
  ENTITY_CHECK_FAILED: "unavailable",
  ENTITY_OUTCOME_UNKNOWN: "unavailable",
  ENTITY_PARTLY_STORED: "unavailable",
  ENTITY_BUSY: "throttled",
  ENTITY_DEADLINE_EXCEEDED: "unavailable",
  ENTITY_ABORTED: "aborted",
  ENTITY_HOST_CLOSED: "closed",
  ENTITY_DELETE_REFUSED: "invalid",
};

const retryable: ReadonlySet<EntityErrorCode> = new Set([
  "ENTITY_CONFLICT",
  "ENTITY_BUSY",
  "ENTITY_DEADLINE_EXCEEDED",
]);

/** Errors that are as retryable as their cause. */
const retryableByCause: ReadonlySet<EntityErrorCode> = new Set([
  "ENTITY_RECOVERY_FAILED",
  "ENTITY_NOT_STORED",
  "ENTITY_CHECK_FAILED",
]);

/** The optional parts of an {@link EntityError}. */
export interface EntityErrorExtra {
  /** Whether the command may have been carried out. @default false */
  readonly ambiguous?: boolean;
  readonly cause?: unknown;
}

/** An error of an entity or its host. */
export class EntityError<Code extends EntityErrorCode = EntityErrorCode> extends TablekeepError<
  Code,
  EntityErrorDetails[Code]
> {
  static {
    nameErrors(EntityError, "EntityError");
  }

  constructor(code: Code, message: string, details: EntityErrorDetails[Code], extra: EntityErrorExtra = {}) {
    const { ambiguous = false, cause } = extra;
    super({
      code,
      kind: entityErrorKinds[code],
      message,
      details,
      retryable: !ambiguous && isRetryable(code, cause),
      ...extra,
    });
  }
}

function isRetryable(code: EntityErrorCode, cause: unknown): boolean {
  if (retryable.has(code)) return true;
  // An ambiguous request, such as one that takes over as the writer, is safe to repeat: it contains none of the command's events.
  return retryableByCause.has(code) && isTablekeepError(cause) && (cause.retryable || cause.ambiguous);
}

/**
 * Returns whether `error` is an {@link EntityError} with this code, and narrows its type.
 *
 * @example
 * if (isEntityError(error, "ENTITY_COMMAND_REFUSED")) console.log(error.details.reason);
 */
export function isEntityError<Code extends EntityErrorCode>(
  error: unknown,
  code: Code,
): error is EntityError<Code> {
  return isTablekeepError(error, code);
}

/** Returns the error for a function or schema of a definition that failed. `reason` continues its name: "threw". */
export function definitionFailed(
  address: EntityAddress,
  member: DefinitionMember,
  reason: string,
  cause?: unknown,
): EntityError<"ENTITY_DEFINITION_FAILED"> {
  return new EntityError(
    "ENTITY_DEFINITION_FAILED",
    `${address.entity} ${address.id}: ${member} ${reason}${cause === undefined ? "" : " (see the cause)"}`,
    { ...address, member, reason },
    { cause },
  );
}
