import type { CallOptions, DynamoPort, RetryLimits, TablekeepError } from "@tablekeep/core";
import type { OperationRun } from "../operation-options.ts";
import { ownError } from "../own-error.ts";
import { backoffMs, defaultBackoff, throttleBackoff } from "./backoff.ts";
import { retryCost } from "./retry-budget.ts";

/**
 * The retries of one operation that resends requests on top of a port. Attempts made inside the port and by the operation
 * count together: against the port's maximum, for the back-off, and against its retry budget. A port without limits
 * (the embedded engine) is retried until the deadline.
 */
export class OperationRetries {
  readonly #limits: RetryLimits | undefined;
  readonly #run: OperationRun;
  #attempts = 0;
  #spent = 0;

  constructor(port: DynamoPort, run: OperationRun) {
    this.#limits = port.retryLimits;
    this.#run = run;
  }

  /** Options of the next request: the time and the attempts that are left. */
  callOptions(): CallOptions {
    const options = this.#run.deadline.callOptions();
    if (this.#limits === undefined) return options;
    return { ...options, maxAttempts: Math.max(1, this.#limits.maxAttempts - this.#attempts) };
  }

  /**
   * Waits until the request may be sent again. Returns false if the operation must end with `failure`: attempts, budget or
   * time are used up, the caller aborted, or `allows` refuses the wait.
   */
  async wait(failure: TablekeepError, allows: (waitMs: number) => boolean = () => true): Promise<boolean> {
    this.#attempts += attemptsOf(failure);
    const policy = failure.kind === "throttled" ? throttleBackoff : defaultBackoff;
    const waitMs = backoffMs(this.#attempts - 1, this.#run.random, policy);
    const limits = this.#limits;
    if (limits !== undefined && this.#attempts >= limits.maxAttempts) return false;
    if (!allows(waitMs) || waitMs >= this.#run.deadline.remainingMs()) return false;
    const cost = retryCost(failure);
    if (limits !== undefined && !limits.spend(cost)) return false;
    this.#spent = cost;
    try {
      await this.#run.deadline.sleep(waitMs);
      return true;
    } catch (error) {
      ownError(error);
      return false;
    }
  }

  /** A request succeeded, in full or in part: attempts count from the start again, and the last retry is refunded. */
  succeeded(): void {
    this.#attempts = 0;
    this.#limits?.refund(this.#spent);
    this.#spent = 0;
  }
}

function attemptsOf({ details }: TablekeepError): number {
  const { attempts } = details as { readonly attempts?: unknown };
  return typeof attempts === "number" && attempts > 0 ? attempts : 1;
}
