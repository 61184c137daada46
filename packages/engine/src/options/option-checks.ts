import type { OptionCheck } from "./check-options.ts";

/** A text that is not empty. */
export const text: OptionCheck = (value) =>
  typeof value === "string" && value !== "" ? undefined : "must be a text that is not empty";

/** true or false. */
export const flag: OptionCheck = (value) =>
  typeof value === "boolean" ? undefined : "must be true or false";

/** A finite number of milliseconds, 0 or more. */
export const milliseconds: OptionCheck = (value) =>
  typeof value === "number" && Number.isFinite(value) && value >= 0
    ? undefined
    : "must be a number of milliseconds, 0 or more";

/** A whole number of at least `least`. */
export function wholeNumber(least: number): OptionCheck {
  return (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least
      ? undefined
      : `must be a whole number from ${least} up`;
}

/** What `check` allows, or a pair of it of which the first is not above the second. */
export function orRange(check: OptionCheck): OptionCheck {
  return (value) => {
    if (!Array.isArray(value)) return check(value);
    const [least, most] = value as unknown[];
    const reason = check(least) ?? check(most);
    if (reason !== undefined || value.length !== 2)
      return `${reason ?? "must be one value"}, or two of that kind`;
    return (least as number) <= (most as number) ? undefined : "must be a pair that rises";
  };
}

/** One of these texts. */
export function choiceOf(...values: readonly string[]): OptionCheck {
  return (value) => (values.includes(value as string) ? undefined : `must be one of ${values.join(", ")}`);
}

/** A list in which each element passes. */
export function listOf(check: OptionCheck): OptionCheck {
  return (value) => {
    if (!Array.isArray(value)) return "must be a list";
    for (const element of value) {
      const reason = check(element);
      if (reason !== undefined) return `must be a list, each element of which ${reason}`;
    }
    return undefined;
  };
}

/** What a clock must have. */
export const clock: OptionCheck = (value) => {
  const members = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const methods = ["now", "monotonic", "after"];
  return methods.every((method) => typeof members[method] === "function")
    ? undefined
    : `must be an object with the methods ${methods.join(", ")}`;
};
