import type { OptionCheck } from "./check-options.ts";

/** The checks of options that several rooms need. */
interface CommonOptionChecks {
  /** A text that is not empty. */
  readonly text: OptionCheck;
  /** Any text. */
  readonly anyText: OptionCheck;
  /** A string that can be part of a key: not empty, and without halves of surrogate pairs. */
  readonly id: OptionCheck;
  /** true or false. */
  readonly flag: OptionCheck;
  /** A finite number of milliseconds above 0. */
  readonly milliseconds: OptionCheck;
  /** A finite number of milliseconds, 0 or more. */
  readonly millisecondsOrNone: OptionCheck;
  /** A function. */
  readonly callable: OptionCheck;
  /** What ends a call early. */
  readonly signal: OptionCheck;
  /** What a `Clock` must have. */
  readonly clock: OptionCheck;
  /** What a `Logger` must have. */
  readonly logger: OptionCheck;
  /** Anything; what is inside is checked elsewhere. */
  readonly anything: OptionCheck;
  /** A whole number from `least` to `most`; without `most` there is no limit. */
  readonly wholeNumber: (least: number, most?: number) => OptionCheck;
  /** A whole number, 0 or more, or Infinity for no bound, because a caller may compute it. */
  readonly upperBound: OptionCheck;
  /** One of these texts. */
  readonly choiceOf: (...values: readonly string[]) => OptionCheck;
  /** An object with these methods. */
  readonly objectWith: (...methods: readonly string[]) => OptionCheck;
  /** An object with these texts, none of them empty. */
  readonly objectOfTexts: (...names: readonly string[]) => OptionCheck;
  /** A list in which each element passes. */
  readonly listOf: (check: OptionCheck) => OptionCheck;
}

/** A check for what `fits`; `reason` says what would. */
function must(reason: string, fits: (value: unknown) => boolean): OptionCheck {
  return (value) => (fits(value) ? undefined : `must be ${reason}`);
}

const isText = (value: unknown): boolean => typeof value === "string" && value !== "";

function objectWith(...methods: readonly string[]): OptionCheck {
  return must(`an object with the methods ${methods.join(", ")}`, (value) =>
    methods.every((method) => typeof membersOf(value)[method] === "function"),
  );
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Checks of options that several rooms need; a room adds its own beside them. */
export const optionCheck: CommonOptionChecks = {
  text: must("a text that is not empty", isText),
  anyText: must("a text", (value) => typeof value === "string"),
  id: (value) => {
    if (!isText(value)) return "must be a non-empty string";
    return /\p{Surrogate}/u.test(value as string)
      ? "must be well-formed: it contains half of a surrogate pair"
      : undefined;
  },
  flag: must("true or false", (value) => typeof value === "boolean"),
  milliseconds: must(
    "a number of milliseconds above 0",
    (value) => Number.isFinite(value) && (value as number) > 0,
  ),
  millisecondsOrNone: must(
    "a number of milliseconds, 0 or more",
    (value) => Number.isFinite(value) && (value as number) >= 0,
  ),
  callable: must("a function", (value) => typeof value === "function"),
  signal: must("an AbortSignal", (value) => value instanceof AbortSignal),
  clock: objectWith("now", "monotonic", "after"),
  logger: objectWith("debug", "info", "warn", "error"),
  anything: () => undefined,
  wholeNumber: (least, most = Number.MAX_SAFE_INTEGER) =>
    must(
      `a whole number from ${least} ${most === Number.MAX_SAFE_INTEGER ? "up" : `to ${most}`}`,
      (value) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most,
    ),
  upperBound: must(
    "a whole number from 0 up, or Infinity",
    (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 0),
  ),
  choiceOf: (...values) => must(`one of ${values.join(", ")}`, (value) => values.includes(value as string)),
  objectWith,
  objectOfTexts: (...names) =>
    must(`an object with the texts ${names.join(", ")}`, (value) =>
      names.every((name) => isText(membersOf(value)[name])),
    ),
  listOf: (check) => (value) => {
    if (!Array.isArray(value)) return "must be a list";
    const [reason] = value.flatMap((element) => check(element) ?? []);
    return reason && `must be a list, each element of which ${reason}`;
  },
};
