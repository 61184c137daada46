/** The errors of commands that were not stored, or not surely. */
import { isTablekeepError, type TablekeepError } from "@tablekeep/core";
import { type EntityAddress, EntityError } from "../entity-error.ts";

const nameOf = ({ entity, id }: EntityAddress) => `${entity} ${id}`;

/** Returns the error for an event that the journal cannot store as it is. */
export function unsuitable(address: EntityAddress, cause: TablekeepError): EntityError {
  if (cause.kind !== "limit") {
    const message = `${nameOf(address)}: an event cannot be stored: ${cause.message}`;
    return new EntityError("ENTITY_EVENT_INVALID", message, { ...address, reason: cause.message }, { cause });
  }
  const { actual = 0, maximum = 0 } = cause.details as { actual?: number; maximum?: number };
  const message = `${nameOf(address)}: an event is too large: ${cause.message}`;
  return new EntityError("ENTITY_EVENT_TOO_LARGE", message, { ...address, actual, maximum }, { cause });
}

export function notStored(address: EntityAddress, cause: TablekeepError): EntityError {
  const message = `${nameOf(address)}: the store rejected the write: ${cause.message}; nothing was written`;
  return new EntityError("ENTITY_NOT_STORED", message, address, { cause });
}

/** Returns the error for a reply that could not be checked against the tables first. */
export function checkFailed(
  address: EntityAddress,
  checked: "state" | "ledger",
  cause: unknown,
  ambiguous = false,
): EntityError {
  const message = `${nameOf(address)}: the ${checked} could not be read to check the reply: ${reasonOf(cause)}`;
  return new EntityError("ENTITY_CHECK_FAILED", message, { ...address, checked }, { cause, ambiguous });
}

export function conflicted(
  address: EntityAddress,
  attempts: number,
  cause: TablekeepError | undefined,
): EntityError {
  const message = `${nameOf(address)}: another writer was first, ${attempts} times in a row; nothing was written (retry later)`;
  return new EntityError("ENTITY_CONFLICT", message, { ...address, attempts }, { cause });
}

export function outcomeUnknown(address: EntityAddress, cause: unknown): EntityError {
  const message = `${nameOf(address)}: the command may have been carried out (check the state, or retry with the same command id)`;
  return new EntityError("ENTITY_OUTCOME_UNKNOWN", message, address, { ambiguous: true, cause });
}

export function partlyStored(
  address: EntityAddress,
  stored: number,
  of: number,
  cause: unknown,
): EntityError {
  const message = `${nameOf(address)}: at least ${stored} of ${of} independent events are stored (check the state)`;
  const details = { ...address, stored, of };
  return new EntityError("ENTITY_PARTLY_STORED", message, details, { ambiguous: true, cause });
}

/** Returns the error for a command whose entity could not be recovered. */
export function notRecovered(address: EntityAddress, cause: unknown): EntityError {
  if (cause instanceof EntityError) return cause;
  const message = `${nameOf(address)}: recovery failed: ${reasonOf(cause)}`;
  return new EntityError("ENTITY_RECOVERY_FAILED", message, address, { cause });
}

function reasonOf(cause: unknown): string {
  return isTablekeepError(cause) ? cause.message : "see the cause";
}
