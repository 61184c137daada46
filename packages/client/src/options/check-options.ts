import { ClientError } from "../client-error.ts";

/** Says what is wrong with the value of an option; undefined if nothing is. Never called for undefined. */
export type OptionCheck = (value: unknown) => string | undefined;

/** One check for each option that `Options` declares: an option without a check does not compile. */
export type OptionChecks<Options extends object> = {
  readonly [Name in keyof Required<Options>]: OptionCheck;
};

/**
 * Refuses options that do not exist and values that do not fit, each with one `CLIENT_OPTION_INVALID` that names the
 * option and what to do. An option that is undefined is one that is not given.
 */
export function checkOptions<Options extends object>(given: Options, checks: OptionChecks<Options>): void {
  if (typeof given !== "object" || given === null) throw optionInvalid("options", "must be an object");
  for (const option of Object.keys(given)) {
    if (!Object.hasOwn(checks, option)) throw unknownOption(option, Object.keys(checks));
    const value = given[option as keyof Options];
    if (value === undefined) continue;
    const reason = checks[option as keyof Options](value);
    if (reason !== undefined) throw optionInvalid(option, reason);
  }
}

/** The error for an option of a wrong value. `reason` reads on from the option's name: "must be …". */
export function optionInvalid(option: string, reason: string): ClientError<"CLIENT_OPTION_INVALID"> {
  return new ClientError("CLIENT_OPTION_INVALID", `option ${option} ${reason}`, { option, reason });
}

function unknownOption(option: string, known: readonly string[]): ClientError<"CLIENT_OPTION_INVALID"> {
  const plain = option.toLowerCase().replace(/[^a-z]/g, "");
  const meant = known.find((name) => {
    const candidate = name.toLowerCase();
    return candidate.startsWith(plain) || plain.startsWith(candidate);
  });
  const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
  return optionInvalid(option, `does not exist: ${hint}`);
}
