/**
 * How many retries a port may make in all, so that an outage is not made worse by those who wait for its end.
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

/** What a retry costs when DynamoDB had answered. */
export const answeredRetryCost = 5;

/** What a retry costs when no answer came: such attempts hold a connection for long. */
export const unansweredRetryCost = 10;

/** What a call that succeeds at once gives back. */
export const successRefund = 1;

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
