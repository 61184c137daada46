import { checkOptions as checkOptionsOf, type OptionChecks } from "@tablekeep/core";
import { EngineError } from "../engine-error.ts";

/**
 * Refuses options that do not exist and values that do not fit, with an `ENGINE_OPTION_INVALID` that names the option.
 * `within` names the option that holds these.
 */
export function checkOptions<Options extends object>(
  given: unknown,
  checks: OptionChecks<Options>,
  within?: string,
): void {
  checkOptionsOf(given, checks, optionInvalid, within);
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): EngineError<"ENGINE_OPTION_INVALID"> {
  return new EngineError("ENGINE_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
