import { checkOptions as checkOptionsOf, type OptionChecks } from "@tablekeep/core";
import { isJournalError } from "@tablekeep/journal";
import { EntityError } from "../entity-error.ts";

/** Refuses options that do not exist and values that do not fit, with an `ENTITY_OPTION_INVALID` that names the option. */
export function checkOptions<Options extends object>(
  given: Options,
  checks: OptionChecks<Options>,
  within?: string,
): void {
  checkOptionsOf(given, checks, optionInvalid, within);
}

/** The error of an entity whose persistence id the journal or the snapshots refuse; any other error as it is. */
export function ofEntity(error: unknown): unknown {
  if (!isJournalError(error, "JOURNAL_OPTION_INVALID") || error.details.option !== "persistenceId")
    return error;
  return optionInvalid("id", error.details.reason);
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): EntityError<"ENTITY_OPTION_INVALID"> {
  return new EntityError("ENTITY_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
