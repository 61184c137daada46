import {
  type CallOptions,
  type Clock,
  type DynamoPort,
  isDynamoError,
  type OptionChecks,
  optionCheck,
  type Random,
  type RetryLimits,
  systemClock,
  systemRandom,
  type TablekeepError,
} from "@tablekeep/core";
import { ClientError, requireOwnError } from "../base/client-error.ts";
import { type Deadline, startDeadline } from "./deadline.ts";
import { planRetry } from "./retry-policy.ts";
import { finalError } from "./with-retries.ts";

/** Options of every operation on top of a port. */
export interface OperationOptions {
  /** Ends the operation early. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which the operation ends, all its requests and waits included. @default 10,000 */
  readonly deadlineMs?: number;
  /** Called for each retry within the port. @default none */
  readonly onRetry?: CallOptions["onRetry"];
  /** The clock to use. @default the machine's clock */
  readonly clock?: Clock;
  /** Random source for the jitter of waits. @default the machine's randomness */
  readonly random?: Random;
}

/** The checks of the options that all operations share. */
export const operationOptionChecks: OptionChecks<OperationOptions> = {
  signal: optionCheck.signal,
  deadlineMs: optionCheck.milliseconds,
  onRetry: optionCheck.callback,
  clock: optionCheck.clock,
  random: optionCheck.callback,
};

/** The part of the options that a port understands. */
export function portOptions({ signal, deadlineMs, onRetry }: OperationOptions): CallOptions {
  return { signal, deadlineMs, onRetry };
}

/** The clock, the random source and the deadline of one operation. */
export interface OperationRun {
  readonly clock: Clock;
  readonly random: Random;
  readonly deadline: Deadline;
}

/**
 * Starts the time of an operation; `deadlineMs` replaces the one of the options.
 *
 * @example
 * const run = startOperation({ signal, deadlineMs: 2_000 });
 */
export function startOperation(
  options: OperationOptions,
  deadlineMs: number | undefined = options.deadlineMs,
): OperationRun {
  const time = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const { signal, onRetry } = options;
  return { clock: time, random, deadline: startDeadline(time, { signal, deadlineMs, onRetry }) };
}

/**
 * The retries of one operation that resends requests on top of a port. Attempts made inside the port and by the operation
 * count together: against the port's maximum, for the back-off, and against its retry budget. A port without limits
 * (the embedded engine) is retried until the deadline.
 *
 * @example
 * const retries = new OperationRetries(port, startOperation({ deadlineMs: 2_000 }));
 */
export class OperationRetries {
  readonly #limits: RetryLimits | undefined;
  readonly #run: OperationRun;
  #attempts = 0;
  #spent = 0;
  #isInDoubt = false;

  constructor(port: DynamoPort, run: OperationRun) {
    this.#limits = port.retryLimits;
    this.#run = run;
  }

  /** Returns the options of the next request: the time and the attempts that are left. */
  callOptions(): CallOptions {
    const options = this.#run.deadline.callOptions();
    if (this.#limits === undefined) return options;
    return { ...options, maxAttempts: Math.max(1, this.#limits.maxAttempts - this.#attempts) };
  }

  /**
   * Waits until the request may be sent again. Returns false if the operation must end with `failure`: attempts, budget or
   * time are used up, the caller aborted, or `allows` rejects the wait.
   */
  async wait(failure: TablekeepError, allows?: (waitMs: number) => boolean): Promise<boolean> {
    this.failed(failure);
    const limits = this.#limits;
    const plan = planRetry(failure, {
      attempts: this.#attempts,
      maxAttempts: limits?.maxAttempts ?? Number.POSITIVE_INFINITY,
      remainingMs: this.#run.deadline.remainingMs(),
      random: this.#run.random,
      budget: limits,
      allows,
    });
    if (plan === undefined) return false;
    this.#spent = plan.cost;
    try {
      await this.#run.deadline.sleep(plan.waitMs);
      return true;
    } catch (error) {
      requireOwnError(error);
      return false;
    }
  }

  /** Counts the attempts of a request that failed and is not sent again, such as a read that should have shown the outcome of another request. */
  failed(failure: TablekeepError): void {
    this.#attempts += attemptsOf(failure);
    this.#isInDoubt ||= failure.ambiguous;
  }

  /**
   * Returns the error of an operation that ends with `failure`: ambiguous if any of its requests was. If the caller has aborted, the error says
   * that.
   */
  endedBy(failure: TablekeepError): TablekeepError {
    const last = this.#run.deadline.aborted() ?? failure;
    const isInDoubt = this.#isInDoubt || failure.ambiguous;
    return isInDoubt && !last.ambiguous ? asAmbiguous(last) : last;
  }

  /** A request succeeded, in full or in part: attempts count from the start again, and the last retry is refunded. */
  succeeded(): void {
    this.#attempts = 0;
    this.#limits?.refund(this.#spent);
    this.#spent = 0;
  }
}

/**
 * Sends a request that may be repeated until it succeeds, within the limits of one operation. Throws the last error if it is not
 * retryable, or if attempts, budget or time are used up.
 *
 * @example
 * const { Item } = await sendRepeatedly(port, { deadlineMs: 2_000 }, (call) => port.getItem(input, call));
 */
export async function sendRepeatedly<Output>(
  port: DynamoPort,
  options: OperationOptions,
  send: (call: CallOptions) => Promise<Output>,
  isRetryable: (error: TablekeepError) => boolean = ({ retryable }) => retryable,
): Promise<Output> {
  const retries = new OperationRetries(port, startOperation(options));
  for (;;) {
    try {
      const output = await send(retries.callOptions());
      retries.succeeded();
      return output;
    } catch (error) {
      const failure = requireOwnError(error);
      if (!isRetryable(failure) || !(await retries.wait(failure))) throw retries.endedBy(failure);
    }
  }
}

function asAmbiguous(error: TablekeepError): TablekeepError {
  if (!isDynamoError(error) && !(error instanceof ClientError)) return error;
  return finalError(error, { attempts: attemptsOf(error), ambiguous: true });
}

function attemptsOf({ details }: TablekeepError): number {
  const { attempts } = details as { readonly attempts?: unknown };
  return typeof attempts === "number" && attempts > 0 ? attempts : 1;
}
