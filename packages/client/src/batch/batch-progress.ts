import type { CallOptions, DynamoPort, TablekeepError } from "@tablekeep/core";
import { type BatchEntry, ClientError, requireOwnError } from "../base/client-error.ts";
import { OperationRetries, type OperationRun } from "../retry/operation.ts";

/** The result of one or more batches. The three lists are disjoint and contain every entry. */
export interface BatchProgress<Entry extends BatchEntry = BatchEntry> {
  readonly done: readonly Entry[];
  readonly undone: readonly Entry[];
  readonly unknown: readonly Entry[];
  /** Why processing stopped. */
  readonly failure?: TablekeepError;
}

/** Merges several results. The first failure counts. */
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
 * Creates the error of an incomplete batch. If nothing was processed, nothing is unknown and a retry would not help, returns
 * the failure itself (a missing table, denied access). If the stream of entries failed too, its error is the `cause`, and the
 * message contains that of `failure`.
 */
export function batchIncomplete(
  progress: BatchProgress,
  source?: { readonly error: unknown },
): TablekeepError {
  const { done, undone, unknown, failure } = progress;
  if (failure !== undefined && source === undefined && !failure.retryable && isPlainRejection(failure)) {
    if (done.length === 0 && unknown.length === 0) return failure;
  }
  const of = done.length + undone.length + unknown.length;
  const doubt = unknown.length > 0 ? `, ${unknown.length} may have been` : "";
  return new ClientError(
    "CLIENT_BATCH_INCOMPLETE",
    `${undone.length} of ${of} batch entries were not processed${doubt}: ${failure?.message ?? "deadline exceeded"}${
      source === undefined ? "" : "; the stream of entries failed too"
    }`,
    { of, done, undone, unknown },
    { cause: source === undefined ? failure : source.error, ambiguous: unknown.length > 0 },
  );
}

/** Deadline and abort leave a batch incomplete whatever else happened. */
function isPlainRejection(failure: TablekeepError): boolean {
  return failure.code !== "CLIENT_DEADLINE_EXCEEDED" && failure.code !== "CLIENT_ABORTED";
}

/** The entries that are left when a batch ended, and why. */
interface Leftover<Entry> {
  readonly pending: readonly Entry[];
  readonly failure?: TablekeepError;
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
      failure = requireOwnError(error);
      if (!failure.retryable) return { pending, failure };
    }
    if (!(await retries.wait(failure))) return { pending, failure: run.deadline.aborted() ?? failure };
  }
}

/** Creates the error of a request that was processed in part: unprocessed entries are how DynamoDB throttles a batch. */
function unprocessed(left: number, of: number): TablekeepError {
  return new ClientError(
    "CLIENT_UNPROCESSED",
    `DynamoDB left ${left} of ${of} batch entries unprocessed because of throttling: retry later, at a lower rate`,
    { left, of },
  );
}
