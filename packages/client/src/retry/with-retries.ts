import {
  type CallOptions,
  type Clock,
  isTablekeepError,
  type Random,
  type RequestEffect,
  sleep,
  type TablekeepError,
} from "@tablekeep/core";
import { isClientError } from "../client-error.ts";
import { backoffMs, defaultBackoff, throttleBackoff } from "./backoff.ts";
import { abortedBy } from "./deadline.ts";
import { finalError } from "./final-error.ts";
import { type RetryBudget, retryCost, successRefund } from "./retry-budget.ts";

/** How often a request is sent at most: the first attempt and the original SDK's order of retries. */
export const defaultMaxAttempts = 10;

/** DynamoDB recognises a transaction by its token for ten minutes after it is done. */
export const tokenLifeMs = 600_000;

/** What all calls of a port share. */
export interface RetrySettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly budget: RetryBudget;
  /** How often a request is sent at most. */
  readonly maxAttempts: number;
  /** Which failures are worth another attempt. @default those that say so (`retryable`) */
  readonly retries?: (error: TablekeepError) => boolean;
}

/** One call, as far as retrying it goes. */
export interface RetriedCall {
  readonly effect: RequestEffect;
  readonly options: CallOptions;
  /** The moment of `clock.monotonic()` at which the call is over. */
  readonly endsAt: number;
  /**
   * Mends what made DynamoDB refuse an attempt (credentials, clock). True: send again at once. Never called for a
   * failure that leaves doubt.
   */
  readonly repair?: (error: TablekeepError) => Promise<boolean> | boolean;
}

/**
 * Calls `send` until it succeeds, its failure is not worth another attempt or not safe to follow by one, or attempts,
 * budget or time are used up. Then the last failure is thrown, with the number of attempts, and `ambiguous` if any
 * attempt of a write may have been applied.
 *
 * `send` ends by itself at `call.endsAt` and when the caller aborts.
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
    const next = await planRetry(settings, call, { failure, attempt, inDoubt, startedAt }).catch(
      // Mending failed, or was not done in time: that ends the call, and the doubt of earlier attempts stays.
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

/** Calls `onRetry`. A listener that throws must not fail a call whose write may have been applied. */
export function notifyRetry({ onRetry }: CallOptions, attempt: number, reason?: TablekeepError): void {
  try {
    onRetry?.(attempt, reason);
  } catch {
    // The listener's own error; there is no one to report it to.
  }
}

interface FailedAttempt {
  readonly failure: TablekeepError;
  readonly attempt: number;
  readonly inDoubt: boolean;
  readonly startedAt: number;
}

/** When to send again and what it costs; undefined for never. */
async function planRetry(
  settings: RetrySettings,
  call: RetriedCall,
  { failure, attempt, inDoubt, startedAt }: FailedAttempt,
): Promise<{ waitMs: number; cost: number } | undefined> {
  const { maxAttempts = settings.maxAttempts } = call.options;
  if (attempt >= Math.min(maxAttempts, settings.maxAttempts)) return undefined;
  if (!failure.ambiguous && (await call.repair?.(failure)) === true) return { waitMs: 0, cost: 0 };
  const worthIt = settings.retries?.(failure) ?? failure.retryable;
  if (!worthIt || (inDoubt && call.effect === "once")) return undefined;
  const policy = failure.kind === "throttled" ? throttleBackoff : defaultBackoff;
  const waitMs = backoffMs(attempt - 1, settings.random, policy);
  const resumesAt = settings.clock.monotonic() + waitMs;
  if (resumesAt >= call.endsAt) return undefined;
  if (inDoubt && call.effect === "tokened" && resumesAt - startedAt >= tokenLifeMs) return undefined;
  const cost = retryCost(failure);
  return settings.budget.spend(cost) ? { waitMs, cost } : undefined;
}
