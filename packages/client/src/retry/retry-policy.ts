import type { CallOptions, Random, RetryLimits, TablekeepError } from "@tablekeep/core";

/**
 * The one retry policy. A port sends a request again by it (`with-retries.ts`), and so does an operation that resends requests
 * on top of a port (`operation.ts`). Both count attempts, waits and budget together: a port lends its limits to the
 * operations as `port.retryLimits`, and an operation passes the attempts and the time it has left down as `CallOptions`.
 */

/** Maximum number of attempts: the first one and the retries of the original SDK. */
export const defaultMaxAttempts = 10;

/** Tokens of a full budget. */
export const retryBudgetSize = 500;

/** The cost of a retry after a response from DynamoDB, in tokens. */
const answeredRetryCost = 5;

/** The cost of a retry after a request without a response, which occupies a connection for a long time. */
const unansweredRetryCost = 10;

/** Tokens that a call returns if its first attempt succeeds. */
export const successRefund = 1;

/** How long to wait before the next attempt: a random part of a bound that doubles each time ("full jitter"). */
export interface BackoffPolicy {
  /** The bound of the first wait, in milliseconds. @default 25 */
  readonly baseMs: number;
  /** The bound never grows beyond this, in milliseconds. @default 20,000 */
  readonly capMs: number;
}

const defaultBackoff: BackoffPolicy = { baseMs: 25, capMs: 20_000 };

/** After throttling. Eight such waits in a row fit into the default deadline, on average. */
const throttleBackoff: BackoffPolicy = { baseMs: 50, capMs: 20_000 };

/**
 * Returns the wait before retry number `retry` (0 for the first), in milliseconds.
 *
 * @example
 * await sleep(systemClock, backoffMs(0, systemRandom));
 */
export function backoffMs(retry: number, random: Random, policy: BackoffPolicy = defaultBackoff): number {
  return random() * Math.min(policy.capMs, policy.baseMs * 2 ** retry);
}

/** The inputs of a retry decision, besides the failure. */
interface RetryState {
  /** Attempts so far. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Time left of the deadline, in milliseconds. */
  readonly remainingMs: number;
  readonly random: Random;
  readonly budget: Pick<RetryLimits, "spend"> | undefined;
  /** Returns false to prevent a retry after this wait. @default every retry is allowed */
  readonly allows?: (waitMs: number) => boolean;
}

/** A retry: the wait before it, and its cost in tokens. */
interface RetryPlan {
  readonly waitMs: number;
  readonly cost: number;
}

/**
 * Decides whether a request that ended with `failure` is sent again. Returns undefined if attempts, time or budget are used
 * up; a wait that would outlast the deadline is not begun.
 */
export function planRetry(failure: TablekeepError, state: RetryState): RetryPlan | undefined {
  const { attempts, maxAttempts, remainingMs, random, budget, allows } = state;
  if (attempts >= maxAttempts) return undefined;
  const policy = failure.kind === "throttled" ? throttleBackoff : defaultBackoff;
  const waitMs = backoffMs(attempts - 1, random, policy);
  if (waitMs >= remainingMs || allows?.(waitMs) === false) return undefined;
  const cost = retryCost(failure);
  return budget === undefined || budget.spend(cost) ? { waitMs, cost } : undefined;
}

function retryCost({ code }: TablekeepError): number {
  const answered = code === "CLIENT_UNPROCESSED" || !code.startsWith("CLIENT_");
  return answered ? answeredRetryCost : unansweredRetryCost;
}

/**
 * Bounds the retries of a port and of the operations on top of it, so that retries do not prolong an outage. A full budget
 * pays for 100 consecutive retries. After that, calls fail without retries until others succeed.
 */
export interface RetryBudget {
  /** Takes tokens for one retry. Returns false, and takes none, if too few are left. */
  spend(tokens: number): boolean;
  /** Returns tokens after a success; never beyond the size. */
  refund(tokens: number): void;
  /** Tokens left. */
  readonly left: number;
}

/** Creates a full budget of `size` tokens. */
export function createRetryBudget(size: number = retryBudgetSize): RetryBudget {
  let left = size;
  return {
    spend(tokens) {
      if (tokens > left) return false;
      left -= tokens;
      return true;
    },
    refund(tokens) {
      left = Math.min(size, left + tokens);
    },
    get left() {
      return left;
    },
  };
}

/** Returns the limits that a port shares with the operations on top of it. */
export function retryLimits({ spend, refund }: RetryBudget, maxAttempts: number): RetryLimits {
  return { maxAttempts, spend, refund };
}

/** Calls `onRetry`. A listener that throws must not fail a call whose write may have been applied. */
export function notifyRetry({ onRetry }: CallOptions, attempt: number, reason?: TablekeepError): void {
  try {
    onRetry?.(attempt, reason);
  } catch {
    // The listener's own error: there is nowhere to report it.
  }
}

/** Returns the options of a call with one more listener of its retries. */
export function watchRetries(options: CallOptions, watch: NonNullable<CallOptions["onRetry"]>): CallOptions {
  const { onRetry } = options;
  return {
    ...options,
    onRetry: (attempt, reason) => {
      watch(attempt, reason);
      onRetry?.(attempt, reason);
    },
  };
}
