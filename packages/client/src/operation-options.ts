import {
  type CallOptions,
  type Clock,
  type OptionChecks,
  optionCheck,
  type Random,
  systemClock,
  systemRandom,
} from "@tablekeep/core";
import { type Deadline, startDeadline } from "./retry/deadline.ts";

/** What every operation on top of a port takes. */
export interface OperationOptions {
  /** Ends the operation early. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the operation ends, all its requests and waits included. @default 10,000 */
  readonly deadlineMs?: number | undefined;
  /** Told of each retry within the port. @default none */
  readonly onRetry?: CallOptions["onRetry"];
  /** The time it goes by. @default the machine's clock */
  readonly clock?: Clock | undefined;
  /** Where the jitter of its waits comes from. @default the machine's randomness */
  readonly random?: Random | undefined;
}

/** The checks of the options that all operations share. */
export const operationOptionChecks: OptionChecks<OperationOptions> = {
  signal: (value) => (value instanceof AbortSignal ? undefined : "must be an AbortSignal"),
  deadlineMs: optionCheck.milliseconds,
  onRetry: optionCheck.callback,
  clock: optionCheck.clock,
  random: optionCheck.callback,
};

/** The part of the options that a port understands. */
export function portOptions({ signal, deadlineMs, onRetry }: OperationOptions): CallOptions {
  return { signal, deadlineMs, onRetry };
}

/** The time and chance of one operation. */
export interface OperationRun {
  readonly clock: Clock;
  readonly random: Random;
  readonly deadline: Deadline;
}

/** Starts the time of an operation; `deadlineMs` stands in for the one of the options. */
export function startOperation(
  options: OperationOptions,
  deadlineMs: number | undefined = options.deadlineMs,
): OperationRun {
  const time = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const { signal, onRetry } = options;
  return { clock: time, random, deadline: startDeadline(time, { signal, deadlineMs, onRetry }) };
}
