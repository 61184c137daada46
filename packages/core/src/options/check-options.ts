/** Says what is wrong with the value of an option; undefined if nothing is. Never called for undefined. */
export type OptionCheck = (value: unknown) => string | undefined;

/** One check for each option that `Options` declares: an option without a check does not compile. */
export type OptionChecks<Options extends object> = {
  readonly [Name in keyof Required<Options>]: OptionCheck;
};

/** Makes a room's own error for an option. `reason` reads on from the option's name: "must be …". */
type OptionInvalid = (option: string, reason: string) => Error;

/**
 * Refuses options that do not exist and values that do not fit, with the error that `optionInvalid` makes. An option that
 * is undefined is one that is not given. `within` names the option that holds these.
 */
export function checkOptions<Options extends object>(
  given: unknown,
  checks: OptionChecks<Options>,
  optionInvalid: OptionInvalid,
  within = "",
): void {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw optionInvalid(within === "" ? "options" : within, "must be an object");
  }
  for (const [name, value] of Object.entries(given)) {
    const option = within === "" ? name : `${within}.${name}`;
    if (!Object.hasOwn(checks, name)) throw optionInvalid(option, doesNotExist(name, Object.keys(checks)));
    const reason = value === undefined ? undefined : checks[name as keyof Options](value);
    if (reason !== undefined) throw optionInvalid(option, reason);
  }
}

/** Says that an option does not exist, and which one was meant if that is plain, or else all there are. */
function doesNotExist(option: string, known: readonly string[]): string {
  const plain = option.toLowerCase().replace(/[^a-z]/g, "");
  const meant = known.find((name) => {
    const candidate = name.toLowerCase();
    return plain !== "" && (candidate.startsWith(plain) || plain.startsWith(candidate));
  });
  return `does not exist: ${meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`}`;
}
