import { type Clock, type OptionChecks, optionCheck, systemClock } from "@tablekeep/core";
import type { CatchUpOptions } from "../feed.ts";
import { checkOptions, optionInvalid } from "../feed-error.ts";
import { type BatchResponse, batchResponse } from "./batch-response.ts";
import { decodeEvent } from "./decode-event.ts";

/** Options of {@link feedHandler}. */
export interface FeedHandlerOptions {
  /** How long before the timeout of the function its work ends, in milliseconds. @default 5,000 */
  readonly marginMs?: number;
  /** The source of time. @default the machine's clock */
  readonly clock?: Clock;
}

/** The part of AWS Lambda's context object that the handler uses. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

const optionChecks: OptionChecks<FeedHandlerOptions> = {
  marginMs: optionCheck.millisecondsOrZero,
  clock: optionCheck.clock,
};

/**
 * Returns a function for AWS Lambda that brings into a feed what was committed before each event. An event does not say where its
 * shard and the others are, so the feed reads the stream itself, from its own checkpoint: an event that comes twice, late or never does no
 * harm. If time runs out, AWS Lambda sends the event again.
 *
 * @example
 * export const handler = feedHandler(await openFeed(port, { journal: { table: "events" } }));
 */
export function feedHandler(
  feed: { catchUp(options?: CatchUpOptions): Promise<unknown> },
  options: FeedHandlerOptions = {},
): (event: unknown, context?: LambdaContext) => Promise<BatchResponse> {
  const reason = optionCheck.objectWith("catchUp")(feed);
  if (reason !== undefined) throw optionInvalid("feed", `${reason} (await openFeed)`);
  checkOptions(options, optionChecks);
  const { marginMs = 5000, clock = systemClock } = options;
  return async (event, context) => {
    const decoded = decodeEvent(event);
    if (decoded.changes.length === 0) return batchResponse(decoded, 0);
    const timeout = new AbortController();
    const leftMs =
      context === undefined ? Number.POSITIVE_INFINITY : context.getRemainingTimeInMillis() - marginMs;
    if (leftMs <= 0) return batchResponse(decoded, 0);
    const cancel = Number.isFinite(leftMs) ? clock.after(leftMs, () => timeout.abort()) : () => {};
    try {
      await feed.catchUp({ signal: timeout.signal });
    } finally {
      cancel();
    }
    // An aborted call returns early, and it is unknown which changes it has reached, so all are sent again.
    return batchResponse(decoded, timeout.signal.aborted ? 0 : decoded.changes.length);
  };
}
