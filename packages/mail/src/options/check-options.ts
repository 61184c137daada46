import { checkOptions as checkOptionsOf, type OptionChecks } from "@tablekeep/core";
import { MailError } from "../mail-error.ts";

/** Refuses options that do not exist and values that do not fit, with a `MAIL_OPTION_INVALID` that names the option. */
export function checkOptions<Options extends object>(given: Options, checks: OptionChecks<Options>): void {
  checkOptionsOf(given, checks, optionInvalid);
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): MailError<"MAIL_OPTION_INVALID"> {
  return new MailError("MAIL_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
