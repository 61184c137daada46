import type { TablekeepError } from "@tablekeep/core";
import type { OperationRun } from "../operation-options.ts";
import { ownError } from "../own-error.ts";
import { backoffMs, throttleBackoff } from "../retry/backoff.ts";

/** What is left when a batch ended, and why. */
export interface Leftover<Entry> {
  readonly pending: readonly Entry[];
  readonly failure?: TablekeepError | undefined;
}

/**
 * Sends entries, and those that come back unprocessed again, with back-off, until none is left, the time is up or a
 * failure says that sending again will not help.
 */
export async function untilProcessed<Entry>(
  entries: readonly Entry[],
  { deadline, random }: OperationRun,
  send: (pending: readonly Entry[]) => Promise<readonly Entry[]>,
): Promise<Leftover<Entry>> {
  let pending = entries;
  let failure: TablekeepError | undefined;
  for (let fruitless = 0; ; fruitless++) {
    try {
      deadline.check();
      const left = await send(pending);
      if (left.length === 0) return { pending: left };
      if (left.length < pending.length) fruitless = 0;
      pending = left;
      failure = undefined;
    } catch (error) {
      failure = ownError(error);
      if (!failure.retryable) return { pending, failure };
    }
    const ended = await deadline
      .sleep(backoffMs(fruitless, random, throttleBackoff))
      .then(() => undefined, ownError);
    // The last answer of DynamoDB tells more than "the time is up".
    if (ended !== undefined) return { pending, failure: failure ?? ended };
  }
}
