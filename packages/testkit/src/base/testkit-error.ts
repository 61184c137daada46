import {
  type ErrorKind,
  isTablekeepError,
  nameErrors,
  type OperationName,
  optionCheck,
  optionChecker,
  TablekeepError,
} from "@tablekeep/core";

/** The details of testkit errors, by code. */
export interface TestkitErrorDetails {
  /** The text of a schedule cannot be read, or one of its fields has a wrong value. */
  TESTKIT_SCHEDULE_INVALID: { text: string; reason: string };
  /** An option that does not exist, or of a wrong value. */
  TESTKIT_OPTION_INVALID: { option: string; reason: string };
  /** A run has no end within its bound. */
  TESTKIT_TOO_LONG: { limit: number };
  /** A fake clock has no timer to go on with, and the work that it drives is not done. */
  TESTKIT_CLOCK_STUCK: Record<never, never>;
  /** The check after a stop failed; `stop` is undefined for the run to the end. See `cause`. */
  TESTKIT_STOP_FAILED: { stop: ReachedStop | undefined };
  /** The check after a pause failed. See `cause`. */
  TESTKIT_PAUSE_FAILED: { pause: ReachedStop | undefined };
  /** The check after an interleaving failed. See `cause`. */
  TESTKIT_INTERLEAVING_FAILED: { order: string; seed: string | undefined };
  /** Actors wait, and neither a request nor a timer is there to go on with. */
  TESTKIT_ACTORS_STUCK: { actors: readonly string[]; order: string };
}

export type TestkitErrorCode = keyof TestkitErrorDetails;

/** The kind of each code: the test, or what it tests, must change, as listed in `docs/reference/errors.md`. */
export const testkitErrorKinds: Readonly<Record<TestkitErrorCode, ErrorKind>> = {
  TESTKIT_SCHEDULE_INVALID: "invalid",
  TESTKIT_OPTION_INVALID: "invalid",
  TESTKIT_TOO_LONG: "invalid",
  TESTKIT_CLOCK_STUCK: "invalid",
  TESTKIT_STOP_FAILED: "invalid",
  TESTKIT_PAUSE_FAILED: "invalid",
  TESTKIT_INTERLEAVING_FAILED: "invalid",
  TESTKIT_ACTORS_STUCK: "invalid",
};

/** An error of the testkit. */
export class TestkitError<Code extends TestkitErrorCode = TestkitErrorCode> extends TablekeepError<
  Code,
  TestkitErrorDetails[Code]
> {
  static {
    nameErrors(TestkitError, "TestkitError");
  }

  constructor(code: Code, message: string, details: TestkitErrorDetails[Code], cause?: unknown) {
    super({ code, kind: testkitErrorKinds[code], message, details, cause });
  }
}

/**
 * Returns whether `error` is a {@link TestkitError}, with this code if one is given.
 *
 * @example
 * if (isTestkitError(error, "TESTKIT_STOP_FAILED")) console.log(error.details);
 */
export function isTestkitError<Code extends TestkitErrorCode>(
  error: unknown,
  code: Code,
): error is TestkitError<Code> {
  return isTablekeepError(error, code);
}

const checkOptions = optionChecker(
  (option, reason) =>
    new TestkitError("TESTKIT_OPTION_INVALID", `option ${option} ${reason}`, { option, reason }),
);

/** Refuses an option that does not exist: a misspelled one would be silently ignored. */
export function knownOptions(options: object, known: readonly string[]): void {
  const checks = Object.fromEntries(known.map((option) => [option, optionCheck.anything]));
  checkOptions(options, checks);
}

/** On which side of request number `n` everything stops. */
export type StopVariant =
  /** It is not sent. */
  | "before"
  /** It is applied, and its answer does not arrive. */
  | "after";

/** Where a scenario is stopped. */
export interface StopPoint {
  /** The number of the request, from 1. */
  readonly n: number;
  readonly variant: StopVariant;
}

/** Where a scenario was stopped, and what it was about to do. */
export interface ReachedStop extends StopPoint {
  readonly operation: OperationName;
  readonly tables: readonly string[];
}

/** For people: `before request 3 (PutItem on carts)`. */
export function describeStop(stop: ReachedStop): string {
  const on = stop.tables.length > 0 ? ` on ${stop.tables.join(", ")}` : "";
  const request = `request ${stop.n} (${stop.operation}${on})`;
  return stop.variant === "before" ? `before ${request}` : `after ${request} was applied`;
}
