import type { RetryLimits, TablekeepError } from "@tablekeep/core";

/**
 * Bounds the retries of a port and of the operations on top of it, so that retries do not prolong an outage.
 * A full budget pays for 100 retries in a row; then calls fail at once until others succeed again.
 */
export interface RetryBudget {
  /** Takes tokens for one retry; false if there are too few left, and then nothing is taken. */
  spend(tokens: number): boolean;
  /** Gives tokens back after a success; never beyond the size. */
  refund(tokens: number): void;
  /** Tokens left. */
  readonly left: number;
}

/** Tokens of a full budget. */
export const retryBudgetSize = 500;

/** The cost of a retry after a response from DynamoDB. */
const answeredRetryCost = 5;

/** The cost of a retry after a request without a response: such attempts hold a connection for long. */
const unansweredRetryCost = 10;

/** The cost of the retry that follows `failure`. */
export function retryCost({ code }: TablekeepError): number {
  const answered = code === "CLIENT_UNPROCESSED" || !code.startsWith("CLIENT_");
  return answered ? answeredRetryCost : unansweredRetryCost;
}

/** What a call that succeeds at once gives back. */
export const successRefund = 1;

/** The limits that a port shares with the operations on top of it. */
export function retryLimits({ spend, refund }: RetryBudget, maxAttempts: number): RetryLimits {
  return { maxAttempts, spend, refund };
}

/** A full budget of `size` tokens. */
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
