import { ShadowError } from "../shadow-error.ts";

/** Says what is wrong with the value of an option; undefined if nothing is. Never called for undefined. */
export type OptionCheck = (value: unknown) => string | undefined;

/** One check for each option that `Options` declares: an option without a check does not compile. */
export type OptionChecks<Options extends object> = {
  readonly [Name in keyof Required<Options>]: OptionCheck;
};

/**
 * Refuses options that do not exist and values that do not fit, with a `SHADOW_OPTION_INVALID` that names the option. An
 * option that is undefined is one that is not given.
 */
export function checkOptions<Options extends object>(given: Options, checks: OptionChecks<Options>): void {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw optionInvalid("options", "must be an object");
  for (const [option, value] of Object.entries(given)) {
    if (!Object.hasOwn(checks, option))
      throw optionInvalid(option, `does not exist: known are ${Object.keys(checks).join(", ")}`);
    const reason = value === undefined ? undefined : checks[option as keyof Options](value);
    if (reason !== undefined) throw optionInvalid(option, reason);
  }
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): ShadowError<"SHADOW_OPTION_INVALID"> {
  return new ShadowError("SHADOW_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}
