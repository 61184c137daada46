import {
  backoffMs,
  ClientError,
  cancellationMeaning,
  OperationRetries,
  sendRepeatedly,
  startOperation,
} from "@tablekeep/client";
import {
  type CallOptions,
  type Clock,
  isDynamoError,
  type Random,
  sleep,
  type TablekeepError,
} from "@tablekeep/core";
import type { Call, JournalContext } from "./journal-context.ts";

/** The number of requests of one batch that are in flight at once. */
const parallelism = 8;

/**
 * Runs `work` for every number from 0 to `count` - 1, in order, a few at once. Starts no more once one returns false or
 * throws; waits for those in flight before it throws.
 */
export async function forEachInParallel(
  count: number,
  work: (at: number) => Promise<boolean>,
): Promise<void> {
  let next = 0;
  let stopped = false;
  const worker = async () => {
    while (next < count && !stopped) {
      try {
        if (!(await work(next++))) stopped = true;
      } catch (error) {
        stopped = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: Math.min(parallelism, count) }, worker));
  for (const result of workers) if (result.status === "rejected") throw result.reason;
}

/** Limits a call of which only the requests have a deadline. */
const maxRetries = 50;

/** The part of a context that retries need. */
type Retrying = Pick<JournalContext, "port" | "clock" | "random">;

/** Starts the retries of requests that fail: they have the time of the call, and the limits of the port. */
export function startRetries(
  { port, clock, random }: Retrying,
  { signal, deadlineMs }: CallOptions,
): OperationRetries {
  return new OperationRetries(port, startOperation({ clock, random, signal, deadlineMs }));
}

/**
 * Waits before a decision is made again because another writer was first, longer each time. Throws if the call would be over by then. Not for
 * requests that failed: see `startRetries`.
 */
export async function pauseBeforeRetry(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  retry: number,
  { signal, deadlineMs, isOver }: Call,
): Promise<void> {
  const waitMs = backoffMs(Math.min(retry, 10), random);
  if (deadlineMs !== undefined && waitMs >= deadlineMs) throw deadlineExceeded(deadlineMs);
  if (isOver === undefined && retry >= maxRetries) throw deadlineExceeded(deadlineMs ?? 0);
  await sleep(clock, waitMs, signal).catch((reason: unknown) => Promise.reject(callAborted(reason)));
}

/** Throws if the deadline of a call has passed. Called before each further step: a request alone would get a little extra time. */
export function checkTime(call: Call): void {
  if (call.isOver) throw deadlineExceeded(0);
}

/** The error of a call that was aborted while it waited. */
export function callAborted(cause: unknown): ClientError<"CLIENT_ABORTED"> {
  return new ClientError("CLIENT_ABORTED", "the caller aborted the call", { attempts: 0 }, { cause });
}

/** The error of a call whose deadline has passed, although nothing it waits for has failed. */
export function deadlineExceeded(deadlineMs: number): ClientError<"CLIENT_DEADLINE_EXCEEDED"> {
  return new ClientError(
    "CLIENT_DEADLINE_EXCEEDED",
    `deadline exceeded: the next step would need more than the remaining ${Math.round(deadlineMs)} ms (raise deadlineMs, or retry later)`,
    { deadlineMs, attempts: 0 },
  );
}

/** Retries an idempotent conditional write until it gets a response. False if its condition does not hold. */
export async function sendIdempotent(
  { port, clock, random }: Retrying,
  options: Call,
  send: (call: CallOptions) => Promise<unknown>,
): Promise<boolean> {
  checkTime(options);
  const { signal, deadlineMs } = options;
  try {
    const sendOnce = (call: CallOptions) => send({ ...call, idempotent: true });
    await sendRepeatedly(port, { clock, random, signal, deadlineMs }, sendOnce, mayPass);
    return true;
  } catch (error) {
    if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
    throw error;
  }
}

/**
 * Returns whether a failure may be temporary, including a transaction that conflicted with another one or was
 * throttled.
 */
function mayPass(error: TablekeepError): boolean {
  if (isDynamoError(error, "TransactionCanceledException"))
    return cancellationMeaning(error.details.cancellationReasons ?? []) === "retry";
  return error.retryable;
}
