/** The checks that every call shares: its id, its options, and ids that the tables cannot hold. */
import { type OptionChecker, type OptionChecks, optionCheck, optionChecker } from "@tablekeep/core";
import { isJournalError } from "@tablekeep/journal";
import { EntityError } from "./entity-error.ts";

/** Options of calls that read or delete. */
export interface EntityCallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal;
  /** Deadline of each request, in milliseconds. @default the host's `deadlineMs` */
  readonly deadlineMs?: number;
}

const callChecks: OptionChecks<EntityCallOptions> = {
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
};

/** Throws `ENTITY_OPTION_INVALID` for an id or options that do not fit. */
export function checkCall(id: string, options: EntityCallOptions): void {
  checkOptions(options, callChecks);
  checkId(id);
}

/** Throws `ENTITY_OPTION_INVALID` for an id that is not a well-formed, non-empty string. */
export function checkId(id: string): void {
  const reason = optionCheck.id(id);
  if (reason !== undefined) throw optionInvalid("id", reason);
}

/** Throws `ENTITY_OPTION_INVALID`, with the option's name, for unknown options and unsuitable values. */
export const checkOptions: OptionChecker = optionChecker(optionInvalid);

/** Returns the error for an unsuitable option. `reason` continues the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): EntityError<"ENTITY_OPTION_INVALID"> {
  return new EntityError("ENTITY_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

/** Replaces the journal's rejection of a persistence id by one of the entity's id. Returns other errors unchanged. */
export function idErrorOf(error: unknown): unknown {
  if (!isJournalError(error, "JOURNAL_OPTION_INVALID") || error.details.option !== "persistenceId")
    return error;
  return optionInvalid("id", error.details.reason);
}
