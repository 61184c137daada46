import { checkOptions, optionCheck } from "@tablekeep/core";
import { TestkitError } from "./testkit-error.ts";

/** Refuses an option that does not exist: a misspelt one would be silently ignored. */
export function knownOptions(options: object, known: readonly string[]): void {
  const checks = Object.fromEntries(known.map((option) => [option, optionCheck.anything]));
  checkOptions(
    options,
    checks,
    (option, reason) =>
      new TestkitError("TESTKIT_OPTION_INVALID", `option ${option} ${reason}`, { option, reason }),
  );
}
