import { checkOptions as checkOptionsOf, type OptionChecks } from "@tablekeep/core";
import { JournalError } from "../journal-error.ts";

/** Refuses options that do not exist and values that do not fit, with a `JOURNAL_OPTION_INVALID`. `within` names what holds them. */
export function checkOptions<Options extends object>(
  given: Options,
  checks: OptionChecks<Options>,
  within?: string,
): void {
  checkOptionsOf(given, checks, optionInvalid, within);
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): JournalError<"JOURNAL_OPTION_INVALID"> {
  return new JournalError("JOURNAL_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
