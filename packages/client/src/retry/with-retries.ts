import {
  type CallOptions,
  type Clock,
  DynamoError,
  type DynamoErrorDetails,
  isDynamoError,
  isTablekeepError,
  type Random,
  type RequestEffect,
  sleep,
  type TablekeepError,
} from "@tablekeep/core";
import {
  ClientError,
  type ClientErrorCode,
  type ClientErrorDetails,
  isClientError,
} from "../base/client-error.ts";
import { abortedBy } from "./deadline.ts";
import { notifyRetry, planRetry, type RetryBudget, successRefund } from "./retry-policy.ts";

/** DynamoDB recognizes a transaction by its token for ten minutes after it is done. */
export const tokenLifeMs = 600_000;

/** The shared state of all calls of a port. */
export interface RetrySettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly budget: RetryBudget;
  /** How often a request is sent at most. */
  readonly maxAttempts: number;
  /** Which failures are worth another attempt. @default those that say so (`retryable`) */
  readonly retries?: (error: TablekeepError) => boolean;
}

/** The parts of a call that retries depend on. */
export interface RetriedCall {
  readonly effect: RequestEffect;
  readonly options: CallOptions;
  /** The moment of `clock.monotonic()` at which the call is over. */
  readonly endsAt: number;
  /**
   * Repairs what made DynamoDB reject an attempt (credentials, clock). True: send again at once. Never called for an
   * ambiguous failure.
   */
  readonly repair?: (error: TablekeepError) => Promise<boolean> | boolean;
}

/**
 * Calls `send` until it succeeds, its failure is not worth another attempt or not safe to follow by one, or attempts,
 * budget or time are used up. Then the last failure is thrown, with the number of attempts, and `ambiguous` if any
 * attempt of a write may have been applied.
 *
 * `send` ends at `call.endsAt` and when the caller aborts.
 */
export async function withRetries<Value>(
  settings: RetrySettings,
  call: RetriedCall,
  send: (attempt: number) => Promise<Value>,
): Promise<Value> {
  const startedAt = settings.clock.monotonic();
  let inDoubt = false;
  let refund = successRefund;
  let previous: TablekeepError | undefined;
  for (let attempt = 1; ; attempt++) {
    let failure: TablekeepError;
    if (previous !== undefined) notifyRetry(call.options, attempt, previous);
    try {
      const value = await send(attempt);
      settings.budget.refund(refund);
      return value;
    } catch (error) {
      if (!isTablekeepError(error)) throw error;
      failure = error;
    }
    inDoubt ||= failure.ambiguous && call.effect !== "read";
    const history = { attempts: attempt, ambiguous: inDoubt };
    const cut = isClientError(failure, "CLIENT_DEADLINE_EXCEEDED");
    if (cut && previous !== undefined) throw finalError(failure, { ...history, cause: previous });
    const next = await nextAttempt(settings, call, { failure, attempt, inDoubt, startedAt }).catch(
      // The repair failed or took too long: that ends the call, which stays ambiguous if an earlier attempt was.
      (error: unknown) => {
        if (!isTablekeepError(error)) throw error;
        throw finalError(error, { ...history, cause: error.cause ?? failure });
      },
    );
    if (next === undefined) throw finalError(failure, history);
    previous = failure;
    refund = Math.max(next.cost, successRefund);
    if (next.waitMs === 0) continue;
    await sleep(settings.clock, next.waitMs, call.options.signal).catch(() => {});
    if (call.options.signal?.aborted) throw abortedBy(call.options.signal, attempt, inDoubt);
  }
}

interface FailedAttempt {
  readonly failure: TablekeepError;
  readonly attempt: number;
  readonly inDoubt: boolean;
  readonly startedAt: number;
}

/** Decides about one call: is another attempt worth it, is it safe, and does the policy allow it? */
async function nextAttempt(
  settings: RetrySettings,
  call: RetriedCall,
  { failure, attempt, inDoubt, startedAt }: FailedAttempt,
): Promise<{ waitMs: number; cost: number } | undefined> {
  const { clock, random, budget } = settings;
  const maxAttempts = Math.min(call.options.maxAttempts ?? settings.maxAttempts, settings.maxAttempts);
  if (attempt >= maxAttempts) return undefined;
  if (!failure.ambiguous && (await call.repair?.(failure)) === true) return { waitMs: 0, cost: 0 };
  const worthIt = settings.retries?.(failure) ?? failure.retryable;
  if (!worthIt || (inDoubt && call.effect === "once")) return undefined;
  const now = clock.monotonic();
  const tokenLeftMs = startedAt + tokenLifeMs - now;
  return planRetry(failure, {
    attempts: attempt,
    maxAttempts,
    remainingMs: call.endsAt - now,
    random,
    budget,
    allows: (waitMs) => !inDoubt || call.effect !== "tokened" || waitMs < tokenLeftMs,
  });
}

/** The state of the call over all attempts. */
interface CallHistory {
  readonly attempts: number;
  /** Whether the write may have been applied, by this attempt or an earlier one. */
  readonly ambiguous: boolean;
  /** The failure of the previous attempt, if it is more informative than the last one. */
  readonly cause?: unknown;
}

/** The error of the last attempt, as the error of the call. */
export function finalError(error: TablekeepError, history: CallHistory): TablekeepError {
  const cause = history.cause ?? error.cause;
  const { attempts, ambiguous } = history;
  const counts = "attempts" in error.details;
  const sameCount = !counts || error.details.attempts === attempts;
  if (error.ambiguous === ambiguous && sameCount && cause === error.cause) return error;
  const details = counts ? { ...error.details, attempts } : error.details;
  const restated = isDynamoError(error)
    ? new DynamoError({ ...(details as DynamoErrorDetails), ambiguous, cause })
    : new ClientError(
        error.code as ClientErrorCode,
        error.message,
        details as ClientErrorDetails[ClientErrorCode],
        { ambiguous, cause },
      );
  if (error.stack !== undefined) restated.stack = error.stack;
  return restated;
}
