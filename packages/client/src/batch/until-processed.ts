import type { CallOptions, DynamoPort, TablekeepError } from "@tablekeep/core";
import { ClientError } from "../client-error.ts";
import type { OperationRun } from "../operation-options.ts";
import { ownError } from "../own-error.ts";
import { OperationRetries } from "../retry/operation-retries.ts";

/** What is left when a batch ended, and why. */
export interface Leftover<Entry> {
  readonly pending: readonly Entry[];
  readonly failure?: TablekeepError | undefined;
}

/**
 * Sends entries, and resends those that come back unprocessed, with back-off, until none is left, a failure is not
 * retryable, or the time, the attempts or the retry budget are used up.
 */
export async function untilProcessed<Entry>(
  port: DynamoPort,
  entries: readonly Entry[],
  run: OperationRun,
  send: (pending: readonly Entry[], call: CallOptions) => Promise<readonly Entry[]>,
): Promise<Leftover<Entry>> {
  const retries = new OperationRetries(port, run);
  let pending = entries;
  for (;;) {
    let failure: TablekeepError;
    try {
      run.deadline.check();
      const left = await send(pending, retries.callOptions());
      if (left.length < pending.length) retries.succeeded();
      if (left.length === 0) return { pending: left };
      pending = left;
      failure = unprocessed(left.length, entries.length);
    } catch (error) {
      failure = ownError(error);
      if (!failure.retryable) return { pending, failure };
    }
    if (!(await retries.wait(failure))) return { pending, failure: run.deadline.aborted() ?? failure };
  }
}

/** DynamoDB processed a request in part: it is throttling, and says so only by what it leaves. */
function unprocessed(left: number, of: number): TablekeepError {
  return new ClientError(
    "CLIENT_UNPROCESSED",
    `DynamoDB left ${left} of ${of} batch entries unprocessed (it is throttling: retry later, at a lower rate)`,
    { left, of },
  );
}
