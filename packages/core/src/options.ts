import type { CallOptions } from "./port.ts";

/** Describes the problem of an option's value; returns undefined if the value is valid. Never called for undefined. */
export type OptionCheck = (value: unknown) => string | undefined;

/** One check for each option that `Options` declares: an option without a check does not compile. */
export type OptionChecks<Options extends object> = {
  readonly [Name in keyof Required<Options>]: OptionCheck;
};

/** Makes a package's own error for an option. `reason` continues after the option's name: "must be …". */
type OptionInvalid = (option: string, reason: string) => Error;

/** Rejects unknown options and values that do not fit. An option that is undefined counts as not given. */
export interface OptionChecker {
  <Options extends object>(given: Options, checks: OptionChecks<Options>): void;
  /** Checks the value of the option `within`, which contains others. */
  <Options extends object>(given: unknown, checks: OptionChecks<Options>, within: string | undefined): void;
}

/**
 * Returns the check of a package's options, which throws the error that `optionInvalid` makes.
 *
 * @example
 * const checkOptions: OptionChecker = optionChecker(optionInvalid);
 * checkOptions(options, { name: optionCheck.nonEmptyString, limit: optionCheck.integer(1, 100) });
 */
export function optionChecker(optionInvalid: OptionInvalid): OptionChecker {
  return <Options extends object>(given: unknown, checks: OptionChecks<Options>, within = ""): void => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw optionInvalid(within === "" ? "options" : within, `must be an object, got ${typeOf(given)}`);
    }
    // On the path of every call: nothing is made for options that are right.
    for (const name of Object.keys(given)) {
      const reason = Object.hasOwn(checks, name)
        ? reasonAgainst(checks[name as keyof Options], given[name as keyof typeof given])
        : unknownOption(name, Object.keys(checks));
      if (reason !== undefined) throw optionInvalid(within === "" ? name : `${within}.${name}`, reason);
    }
  };
}

function reasonAgainst(check: OptionCheck, value: unknown): string | undefined {
  return value === undefined ? undefined : check(value);
}

/**
 * Rejects anything but a port, with the error that `optionInvalid` makes.
 *
 * @example
 * checkPort(port, optionInvalid);
 */
export function checkPort(given: unknown, optionInvalid: OptionInvalid, name = "port"): void {
  const reason = optionCheck.port(given);
  if (reason !== undefined) throw optionInvalid(name, reason);
}

/** Names the option that was probably meant, or else all of them. */
function unknownOption(option: string, known: readonly string[]): string {
  const plain = option.toLowerCase().replace(/[^a-z]/g, "");
  const meant = known.find((name) => {
    const candidate = name.toLowerCase();
    return plain !== "" && (candidate.startsWith(plain) || plain.startsWith(candidate));
  });
  return `is unknown; ${meant === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${meant}?`}`;
}

/** The checks of options that several packages need. */
interface CommonOptionChecks {
  /** A non-empty string. */
  readonly nonEmptyString: OptionCheck;
  /** Any string. */
  readonly string: OptionCheck;
  /** A string that can be part of a key: not empty, and without halves of surrogate pairs. */
  readonly id: OptionCheck;
  /** true or false. */
  readonly boolean: OptionCheck;
  /** A finite number of milliseconds above 0. */
  readonly milliseconds: OptionCheck;
  /** A finite number of milliseconds, 0 or more. */
  readonly millisecondsOrZero: OptionCheck;
  /** A function. */
  readonly callback: OptionCheck;
  /** An `AbortSignal`. */
  readonly signal: OptionCheck;
  /** An object with the methods of `Clock`. */
  readonly clock: OptionCheck;
  /** An object with the methods of `Logger`. */
  readonly logger: OptionCheck;
  /** A `DynamoPort`. */
  readonly port: OptionCheck;
  /** Anything; its content is checked elsewhere. */
  readonly anything: OptionCheck;
  /** An integer from `min` to `max`; without `max` there is no upper limit. */
  readonly integer: (min: number, max?: number) => OptionCheck;
  /** An integer, 0 or more, or Infinity for no bound, because a caller may compute it. */
  readonly upperBound: OptionCheck;
  /** One of these strings. */
  readonly oneOf: (...values: readonly string[]) => OptionCheck;
  /** A value that `fits` accepts; the message describes it as `expected`, and shows any other value, so it must not be a secret. */
  readonly fitting: (expected: string, fits: (value: unknown) => boolean) => OptionCheck;
  /** An object, with these methods. */
  readonly objectWith: (...methods: readonly string[]) => OptionCheck;
  /** An object whose members of these names are non-empty strings. */
  readonly objectOfStrings: (...names: readonly string[]) => OptionCheck;
  /** An array whose elements all pass. */
  readonly arrayOf: (check: OptionCheck) => OptionCheck;
}

/** The checks of options that several packages need; a package adds its own. */
export const optionCheck: CommonOptionChecks = {
  nonEmptyString: must("a non-empty string", isNonEmptyString),
  string: must("a string", (value) => typeof value === "string"),
  id: (value) => {
    if (!isNonEmptyString(value)) return `must be a non-empty string, got ${typeOf(value)}`;
    return /\p{Surrogate}/u.test(value as string)
      ? "must be well-formed: it contains half of a surrogate pair"
      : undefined;
  },
  boolean: must("true or false", (value) => typeof value === "boolean", show),
  milliseconds: must(
    "a number of milliseconds above 0",
    (value) => Number.isFinite(value) && (value as number) > 0,
    show,
  ),
  millisecondsOrZero: must(
    "a number of milliseconds, 0 or more",
    (value) => Number.isFinite(value) && (value as number) >= 0,
    show,
  ),
  callback: must("a function", (value) => typeof value === "function"),
  signal: must("an AbortSignal", (value) => value instanceof AbortSignal),
  clock: objectWith("now", "monotonic", "after"),
  logger: objectWith("debug", "info", "warn", "error"),
  port: must("a DynamoPort, as connect and openEngine return", (value) =>
    hasMethods(value, ["getItem", "putItem", "query", "transactWriteItems"]),
  ),
  anything: () => undefined,
  integer: (min, max = Number.MAX_SAFE_INTEGER) =>
    must(
      `an integer ${max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`}`,
      (value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
      show,
    ),
  upperBound: must(
    "an integer of at least 0, or Infinity",
    (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 0),
    show,
  ),
  oneOf: (...values) =>
    must(`one of ${values.join(", ")}`, (value) => values.includes(value as string), show),
  fitting: (expected, fits) => must(expected, fits, show),
  objectWith,
  objectOfStrings: (...names) =>
    must(`an object with the strings ${names.join(", ")}`, (value) =>
      names.every((name) => isNonEmptyString(membersOf(value)[name])),
    ),
  arrayOf: (check) => (value) => {
    if (!Array.isArray(value)) return `must be an array, got ${typeOf(value)}`;
    const at = value.findIndex((element) => check(element) !== undefined);
    return at < 0 ? undefined : `has an invalid element at index ${at}: it ${check(value[at])}`;
  },
};

/** The checks of the options that every call accepts. */
export const callChecks: OptionChecks<CallOptions> = {
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
  idempotent: optionCheck.boolean,
  maxAttempts: optionCheck.integer(1),
  onRetry: optionCheck.callback,
};

/** A check for values that `fits` accepts. `got` describes any other; by default only its type, since it may be a secret. */
function must(
  expected: string,
  fits: (value: unknown) => boolean,
  got: (value: unknown) => string = typeOf,
): OptionCheck {
  return (value) => (fits(value) ? undefined : `must be ${expected}, got ${got(value)}`);
}

function objectWith(...methods: readonly string[]): OptionCheck {
  const expected = methods.length === 0 ? "an object" : `an object with the methods ${methods.join(", ")}`;
  return must(expected, (value) => isObject(value) && hasMethods(value, methods));
}

function hasMethods(value: unknown, methods: readonly string[]): boolean {
  return methods.every((method) => typeof membersOf(value)[method] === "function");
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isNonEmptyString(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Shows a short value as it is, and only the type of a longer one. */
function show(value: unknown): string {
  if (typeof value === "string" && value.length <= 40) return JSON.stringify(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : typeOf(value);
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (value === "") return "an empty string";
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return "a Date";
  if (value instanceof Promise) return "a Promise";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
