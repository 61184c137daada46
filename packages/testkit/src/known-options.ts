import { TestkitError } from "./testkit-error.ts";

/** Refuses an option that does not exist: a misspelt one would be silently ignored. */
export function knownOptions(options: object, known: readonly string[]): void {
  const option = Object.keys(options).find((name) => !known.includes(name));
  if (option === undefined) return;
  const reason = `there is no such option; there are ${known.join(", ")}`;
  throw new TestkitError("TESTKIT_OPTION_INVALID", `${option}: ${reason}`, { option, reason });
}
