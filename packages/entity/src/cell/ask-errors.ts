/** The errors of commands that were not stored, or may not have been. */
import { type Item, isDynamoError, isTablekeepError, type TablekeepError } from "@tablekeep/core";
import { isJournalError } from "@tablekeep/journal";
import type { Typed } from "../definition/decision.ts";
import { type EntityAddress, EntityError } from "../entity-error.ts";
import type { GroupEntry } from "./pending-ask.ts";
import { type GroupItem, hasOwnItems } from "./rejected-items.ts";

const nameOf = ({ entity, id }: EntityAddress) => `${entity} ${id}`;

/** Returns the error for a command whose events or items the journal or DynamoDB rejects as they are. */
export function unsuitable(address: EntityAddress, group: FailedGroup, cause: TablekeepError): EntityError {
  const name = nameOf(address);
  const { actual = 0, maximum = 0 } = cause.details as { actual?: number; maximum?: number };
  if (isJournalError(cause, "JOURNAL_WRITE_TOO_LARGE")) {
    const message = `${name}: the events and alsoWrite do not fit into one transaction (${cause.message})`;
    return new EntityError("ENTITY_DECISION_TOO_LARGE", message, { ...address, actual, maximum }, { cause });
  }
  if (isJournalError(cause, "JOURNAL_SUBJECT_FORGOTTEN")) {
    const { subject } = cause.details;
    const message = `${name}: ${subject} was forgotten, so no event about it can be stored; nothing was written`;
    return new EntityError("ENTITY_SUBJECT_FORGOTTEN", message, { ...address, subject }, { cause });
  }
  if (cause.kind === "limit") {
    const message = `${name}: an event is too large: ${cause.message}`;
    return new EntityError("ENTITY_EVENT_TOO_LARGE", message, { ...address, actual, maximum }, { cause });
  }
  // The journal checks its own items, so DynamoDB rejects only those of the decision.
  if (hasOwnItems(group) && isDynamoError(cause)) return itemsInvalid(address, group, cause);
  const message = `${name}: an event cannot be stored: ${cause.message}`;
  return new EntityError("ENTITY_EVENT_INVALID", message, { ...address, reason: cause.message }, { cause });
}

/** The group of a failed write, as far as errors describe it. */
interface FailedGroup {
  readonly entries: readonly GroupEntry[];
  readonly alsoWrite: readonly GroupItem[];
}

function itemsInvalid(address: EntityAddress, { entries }: FailedGroup, cause: TablekeepError): EntityError {
  const command = entries[0]?.ask.command.type ?? "";
  const reason = `DynamoDB rejected alsoWrite: ${cause.message}`;
  const message = `${nameOf(address)}: ${command}: the decision is invalid: ${reason}`;
  return new EntityError("ENTITY_DECISION_INVALID", message, { ...address, command, reason }, { cause });
}

export function alsoWriteRejected(
  address: EntityAddress,
  { type: command }: Typed,
  { index, item }: { readonly index: number; readonly item?: Item },
  cause: TablekeepError,
): EntityError {
  const message = `${nameOf(address)}: ${command}: the condition of alsoWrite[${index}] failed; nothing was written`;
  const details = { ...address, command, index, ...(item && { item }) };
  return new EntityError("ENTITY_ALSO_WRITE_REJECTED", message, details, { cause });
}

/** Returns the error for a write that the store rejected. `group` is undefined for a write of the ledger alone. */
export function notStored(
  address: EntityAddress,
  group: FailedGroup | undefined,
  cause: TablekeepError,
): EntityError {
  const isCanceled = isDynamoError(cause, "TransactionCanceledException") && !cause.retryable;
  if (group !== undefined && isCanceled && hasOwnItems(group)) return itemsInvalid(address, group, cause);
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
