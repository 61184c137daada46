import { checkOptions as checkOptionsOf, type OptionChecks } from "@tablekeep/core";
import { ClientError } from "../client-error.ts";

/** Refuses options that do not exist and values that do not fit, with a `CLIENT_OPTION_INVALID` that names the option. */
export function checkOptions<Options extends object>(given: Options, checks: OptionChecks<Options>): void {
  checkOptionsOf(given, checks, optionInvalid);
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): ClientError<"CLIENT_OPTION_INVALID"> {
  return new ClientError("CLIENT_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
