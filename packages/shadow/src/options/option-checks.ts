import type { OptionCheck } from "./check-options.ts";

/** A text that is not empty. */
export const text: OptionCheck = (value) =>
  typeof value === "string" && value !== "" ? undefined : "must be a text that is not empty";

/** Any text. */
export const anyText: OptionCheck = (value) => (typeof value === "string" ? undefined : "must be a text");

/** true or false. */
export const flag: OptionCheck = (value) =>
  typeof value === "boolean" ? undefined : "must be true or false";

/** A finite number of milliseconds above 0. */
export const milliseconds: OptionCheck = (value) =>
  typeof value === "number" && Number.isFinite(value) && value > 0
    ? undefined
    : "must be a number of milliseconds above 0";

/** A whole number from `least` up. */
export function wholeNumber(least: number): OptionCheck {
  return (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least
      ? undefined
      : `must be a whole number from ${least} up`;
}

/** One of these texts. */
export function choiceOf(...values: readonly string[]): OptionCheck {
  return (value) => (values.includes(value as string) ? undefined : `must be one of ${values.join(", ")}`);
}

/** An object with these methods. */
function objectWith(...methods: readonly string[]): OptionCheck {
  return (value) => {
    const members = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    return methods.every((method) => typeof members[method] === "function")
      ? undefined
      : `must be an object with the methods ${methods.join(", ")}`;
  };
}

/** A function. */
export const callable: OptionCheck = (value) =>
  typeof value === "function" ? undefined : "must be a function";

/** What a clock must have. */
export const clock: OptionCheck = objectWith("now", "monotonic", "after");

/** What a logger must have. */
export const logger: OptionCheck = objectWith("debug", "info", "warn", "error");

/** Ends a call early. */
export const signal: OptionCheck = (value) =>
  value instanceof AbortSignal ? undefined : "must be an AbortSignal";
