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
      if (!isTablekeepError(error) || !error.retryable || retry >= maxRetries) throw error;
      await pauseBeforeRetry(context, retry, options);
    }
  }
}
