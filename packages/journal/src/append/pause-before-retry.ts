import { backoffMs, ClientError } from "@tablekeep/client";
import { type Clock, type Random, sleep } from "@tablekeep/core";
import type { JournalCall } from "../journal-context.ts";

/** Ends a call of which only the requests have a deadline. */
const maxRetries = 50;

/** Waits before attempt number `retry` + 2, longer each time. Throws if the call would be over by then. */
export async function pauseBeforeRetry(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  retry: number,
  { signal, deadlineMs, isOver }: JournalCall,
): Promise<void> {
  const waitMs = backoffMs(Math.min(retry, 10), random);
  if (deadlineMs !== undefined && waitMs >= deadlineMs) throw deadlineExceeded(deadlineMs);
  if (isOver === undefined && retry >= maxRetries) throw deadlineExceeded(deadlineMs ?? 0);
  await sleep(clock, waitMs, signal).catch((reason: unknown) => Promise.reject(callAborted(reason)));
}

/** Before a further step of a call: throws if its time is up. A request by itself would be given a moment more. */
export function checkTime(call: JournalCall): void {
  if (call.isOver) throw deadlineExceeded(0);
}

/** The error of a call whose caller gave up while it waited. */
export function callAborted(cause: unknown): ClientError<"CLIENT_ABORTED"> {
  return new ClientError("CLIENT_ABORTED", "the caller aborted the call", { attempts: 0 }, { cause });
}

/** The error of a call whose time is up, although nothing it waits for has failed. */
export function deadlineExceeded(deadlineMs: number): ClientError<"CLIENT_DEADLINE_EXCEEDED"> {
  return new ClientError(
    "CLIENT_DEADLINE_EXCEEDED",
    `not done within the ${Math.round(deadlineMs)} ms that were left: allow it more time, or try again later`,
    { deadlineMs, attempts: 0 },
  );
}
