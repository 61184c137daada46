import { isClientError } from "@tablekeep/client";
import { isTablekeepError, sleep } from "@tablekeep/core";
import type { JournalContext } from "../journal-context.ts";

/** How long a live query waits before it looks again: longer each time that there is nothing, short again after that. */
const firstWaitMs = 100;
const longestWaitMs = 3_000;

/** The waits of one live query. Both give false as soon as the caller gives up: a live query ends quietly. */
export class BetweenLooks {
  readonly #context: JournalContext;
  readonly #signal: AbortSignal | undefined;
  #waitMs = firstWaitMs;

  constructor(context: JournalContext, signal: AbortSignal | undefined) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Waits after a look that found something, or nothing. */
  async wait(found: boolean): Promise<boolean> {
    this.#waitMs = found ? firstWaitMs : Math.min(this.#waitMs * 2, longestWaitMs);
    try {
      await sleep(this.#context.clock, this.#waitMs, this.#signal);
      return true;
    } catch {
      return false;
    }
  }

  /** Waits after a look that failed, as whoever follows a journal outlives an outage. Throws what no waiting mends. */
  async waitAfter(error: unknown): Promise<boolean> {
    if (this.#signal?.aborted) return false;
    if (!maySucceedLater(error)) throw error;
    this.#context.logger.warn("a live query failed and looks again", { error });
    return this.wait(false);
  }
}

/** Whether another look may succeed. For a single call its deadline is the end; for a query that goes on it is not. */
function maySucceedLater(error: unknown): boolean {
  if (isClientError(error, "CLIENT_DEADLINE_EXCEEDED")) return true;
  if (isClientError(error, "CLIENT_BATCH_INCOMPLETE"))
    return error.cause === undefined || maySucceedLater(error.cause);
  return isTablekeepError(error) && error.retryable;
}
