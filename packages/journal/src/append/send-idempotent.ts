import { cancellationMeaning } from "@tablekeep/client";
import { type CallOptions, isDynamoError, isTablekeepError } from "@tablekeep/core";
import type { JournalCall, JournalContext } from "../journal-context.ts";
import { checkTime, pauseBeforeRetry } from "./pause-before-retry.ts";

/** A transaction under way refuses whatever else touches its items: with the waits in between it has several seconds. */
const maxRetries = 9;

/** Sends a conditional write that may be done twice until it is answered. False if its condition does not hold. */
export async function sendIdempotent(
  context: JournalContext,
  options: JournalCall,
  send: (call: CallOptions) => Promise<unknown>,
): Promise<boolean> {
  for (let retry = 0; ; retry++) {
    checkTime(options);
    try {
      await send({ ...options, idempotent: true });
      return true;
    } catch (error) {
      if (isDynamoError(error, "ConditionalCheckFailedException")) return false;
      if (!mayPass(error) || retry >= maxRetries) throw error;
      await pauseBeforeRetry(context, retry, options);
    }
  }
}

/** Whether a failure may pass: also that of a transaction that met another one, or was throttled. */
function mayPass(error: unknown): boolean {
  if (isDynamoError(error, "TransactionCanceledException"))
    return cancellationMeaning(error.details.cancellationReasons ?? []) === "retry";
  return isTablekeepError(error) && error.retryable;
}
