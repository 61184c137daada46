import { sleep, systemClock } from "@tablekeep/core";
import { isServerError } from "../server/server-error.ts";

const pauseMs = 50;

/** How long the call may take. */
interface RestartLimits {
  /** By the monotonic clock. */
  readonly endsAt: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Repeats a call whose connection broke until the server is back: it restarts, or has crashed. A server that was never reached is an
 * error at once. The call gets the milliseconds that are left, and must have no effect.
 */
export async function callThroughRestart<Answer>(
  call: (leftMs: number) => Promise<Answer>,
  { endsAt, signal }: RestartLimits,
): Promise<Answer> {
  let wasReached = false;
  for (;;) {
    const leftMs = Math.max(1, Math.ceil(endsAt - systemClock.monotonic()));
    try {
      return await call(leftMs);
    } catch (error) {
      wasReached ||= isBroken(error);
      const isOver = systemClock.monotonic() + pauseMs >= endsAt;
      if (signal?.aborted || isOver || !wasReached || !isConnectionLost(error)) throw error;
    }
    await sleep(systemClock, pauseMs, signal);
  }
}

/** Without a status there was no response. */
function isConnectionLost(error: unknown): boolean {
  if (!isServerError(error, "SERVER_CALL_FAILED")) return isCut(error);
  const { status } = error.details;
  return status === undefined || status === unavailable;
}

/** A server that stops. */
const unavailable = 503;

/** Whether the connection had been made. */
function isBroken(error: unknown): boolean {
  return isConnectionLost(error) && !/ECONNREFUSED|ENOTFOUND|EAI_AGAIN/.test(codesOf(error));
}

/** `fetch` reports a response that ends in the middle as a TypeError, which is not that of a test's global object in Jest. */
function isCut(error: unknown): boolean {
  const { name, message } = error as Partial<Error>;
  return name === "TypeError" && message === "terminated";
}

function codesOf(error: unknown): string {
  const codes: unknown[] = [];
  for (let each = error as CodedError | undefined; each !== undefined; each = each.cause)
    codes.push(each.code);
  return codes.join(" ");
}

interface CodedError {
  readonly code?: unknown;
  readonly cause?: CodedError;
}
