import { type CallOptions, type OptionChecks, optionCheck } from "@tablekeep/core";

/** The checks of what every call takes. */
export const callChecks: OptionChecks<CallOptions> = {
  signal: optionCheck.objectWith("addEventListener"),
  deadlineMs: optionCheck.milliseconds,
  idempotent: optionCheck.boolean,
  maxAttempts: optionCheck.integer(1),
  onRetry: optionCheck.callback,
};
