import type { CallOptions, DynamoPort, TablekeepError } from "@tablekeep/core";
import { type BatchEntry, ClientError, ownError } from "../base/client-error.ts";
import { OperationRetries, type OperationRun } from "../retry/operation.ts";

/** How far a batch, or several, came. The three lists are disjoint and hold every entry. */
export interface BatchProgress<Entry extends BatchEntry = BatchEntry> {
  readonly done: readonly Entry[];
  readonly undone: readonly Entry[];
  readonly unknown: readonly Entry[];
  /** Why it did not come further. */
  readonly failure?: TablekeepError | undefined;
}

/** Several as one. The first failure is the one that tells. */
export function mergeProgress<Entry extends BatchEntry>(
  parts: readonly BatchProgress<Entry>[],
): BatchProgress<Entry> {
  return {
    done: parts.flatMap((part) => part.done),
    undone: parts.flatMap((part) => part.undone),
    unknown: parts.flatMap((part) => part.unknown),
    failure: parts.find((part) => part.failure !== undefined)?.failure,
  };
}

/**
 * The error of a batch that was not done to its end. Where nothing was done and nothing can be in doubt, and trying
 * again would not help, the failure itself says most (a missing table, a denied access). If the entries' own source
 * failed too, that is the cause: what is in `failure` is told by the message.
 */
export function batchIncomplete(
  progress: BatchProgress,
  source?: { readonly error: unknown },
): TablekeepError {
  const { done, undone, unknown, failure } = progress;
  if (failure !== undefined && source === undefined && !failure.retryable && isPlainRefusal(failure)) {
    if (done.length === 0 && unknown.length === 0) return failure;
  }
  const of = done.length + undone.length + unknown.length;
  const doubt = unknown.length > 0 ? `, ${unknown.length} may be` : "";
  return new ClientError(
    "CLIENT_BATCH_INCOMPLETE",
    `${undone.length} of ${of} entries are not done${doubt}: ${failure?.message ?? "the time is up"}${
      source === undefined ? "" : "; and the stream of entries failed"
    }`,
    { of, done, undone, unknown },
    { cause: source === undefined ? failure : source.error, ambiguous: unknown.length > 0 },
  );
}

/** Not an end by time or by the caller: those leave a batch incomplete whatever else happened. */
function isPlainRefusal(failure: TablekeepError): boolean {
  return failure.code !== "CLIENT_DEADLINE_EXCEEDED" && failure.code !== "CLIENT_ABORTED";
}

/** What is left when a batch ended, and why. */
interface Leftover<Entry> {
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
