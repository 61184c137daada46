import type { OptionCheck } from "./check-options.ts";

/** A text that is not empty. */
export const text: OptionCheck = (value) =>
  typeof value === "string" && value !== "" ? undefined : "must be a text that is not empty";

/** true or false. */
export const flag: OptionCheck = (value) =>
  typeof value === "boolean" ? undefined : "must be true or false";

/** A whole number of at least `least`. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): OptionCheck {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} up` : `from ${least} to ${most}`;
  return (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most
      ? undefined
      : `must be a whole number ${range}`;
}

/** A finite number of milliseconds above 0. */
export const milliseconds: OptionCheck = (value) =>
  typeof value === "number" && Number.isFinite(value) && value > 0
    ? undefined
    : "must be a number of milliseconds above 0";

/** A function. */
export const callable: OptionCheck = (value) =>
  typeof value === "function" ? undefined : "must be a function";

/** An object with these methods. */
export function objectWith(...methods: readonly string[]): OptionCheck {
  return (value) => {
    const members = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
    const missing = methods.find((method) => typeof members[method] !== "function");
    return missing === undefined ? undefined : `must be an object with the methods ${methods.join(", ")}`;
  };
}

/** The absolute URL of a server: http or https, and nothing that a request could not carry. */
export function serverUrl(allowed: { readonly credentials: boolean }): OptionCheck {
  return (value) => {
    if (typeof value !== "string" || !URL.canParse(value))
      return "must be a URL such as http://127.0.0.1:8000";
    const url = new URL(value);
    if (url.protocol !== "http:" && url.protocol !== "https:") return "must begin with http:// or https://";
    if (url.search !== "" || url.hash !== "") return "must not have a query or a fragment";
    if (!allowed.credentials && (url.username !== "" || url.password !== ""))
      return "must not hold a user name or password: give credentials instead";
    return undefined;
  };
}

/** What a clock must have. */
export const clock: OptionCheck = objectWith("now", "monotonic", "after");

/** What a logger must have. */
export const logger: OptionCheck = objectWith("debug", "info", "warn", "error");
