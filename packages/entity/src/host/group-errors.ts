/** What callers are told of groups that were not stored, in words. */
import { isTablekeepError, type TablekeepError } from "@tablekeep/core";
import { EntityError, type EntityPlace } from "../entity-error.ts";

const name = ({ entity, id }: EntityPlace) => `${entity} ${id}`;

/** An event that the journal cannot store as it is. */
export function unfit(place: EntityPlace, cause: TablekeepError): EntityError {
  if (cause.kind !== "limit") {
    const message = `${name(place)}: an event cannot be stored: ${cause.message}`;
    return new EntityError("ENTITY_EVENT_INVALID", message, { ...place, reason: cause.message }, { cause });
  }
  const { actual = 0, maximum = 0 } = cause.details as { actual?: number; maximum?: number };
  const message = `${name(place)}: an event is too large: ${cause.message}`;
  return new EntityError("ENTITY_EVENT_TOO_LARGE", message, { ...place, actual, maximum }, { cause });
}

export function notStored(place: EntityPlace, cause: TablekeepError): EntityError {
  const message = `${name(place)}: the store did not take the events: nothing was written, ask again`;
  return new EntityError("ENTITY_NOT_STORED", message, place, { cause });
}

export function conflicted(
  place: EntityPlace,
  attempts: number,
  cause: TablekeepError | undefined,
): EntityError {
  const message = `${name(place)}: other writers were faster ${attempts} times: nothing was written, ask again later`;
  return new EntityError("ENTITY_CONFLICT", message, { ...place, attempts }, { cause });
}

export function outcomeUnknown(place: EntityPlace, cause: unknown): EntityError {
  const message = `${name(place)}: the command may be carried out: look at the state, or ask again with the same command id`;
  return new EntityError("ENTITY_OUTCOME_UNKNOWN", message, place, { ambiguous: true, cause });
}

export function partlyStored(place: EntityPlace, stored: number, of: number, cause: unknown): EntityError {
  const message = `${name(place)}: at least ${stored} of ${of} independent events are stored: look at the state`;
  return new EntityError(
    "ENTITY_PARTLY_STORED",
    message,
    { ...place, stored, of },
    { ambiguous: true, cause },
  );
}

/** What a caller is told of an entity that could not be recovered. */
export function notRecovered(place: EntityPlace, cause: unknown): EntityError {
  if (cause instanceof EntityError) return cause;
  const why = isTablekeepError(cause) ? cause.message : "see the cause";
  const message = `${name(place)}: could not be recovered: ${why}`;
  return new EntityError("ENTITY_RECOVERY_FAILED", message, place, { cause });
}
