import { isDynamoError } from "@tablekeep/core";
import { FeedError } from "../feed-error.ts";

/** Returns the error for a request that IAM denies; any other error unchanged. */
export function deniedOr(error: unknown, action: string, resource: string): unknown {
  if (!isDynamoError(error, "AccessDeniedException")) return error;
  return new FeedError(
    "FEED_STREAM_DENIED",
    `not permitted: allow ${action} on ${resource}`,
    { action, resource },
    { cause: error },
  );
}

/** Returns the error for records that were removed before they were read. */
export function trimmedError(
  streamArn: string,
  shard: string,
  sequence: bigint | undefined,
  cause?: unknown,
): FeedError<"FEED_STREAM_TRIMMED"> {
  const after = sequence === undefined ? "" : ` after sequence number ${sequence}`;
  return new FeedError(
    "FEED_STREAM_TRIMMED",
    `records of shard ${shard}${after} were trimmed before they were read; compare the feed with the journal and add what is missing`,
    { streamArn, shard, sequence: sequence === undefined ? undefined : String(sequence) },
    { cause },
  );
}

/** Returns the error for a stream whose backend has returned to an earlier state, so that numbers are used again. */
export function restoredError(streamArn: string): FeedError<"FEED_STREAM_RESTORED"> {
  return new FeedError(
    "FEED_STREAM_RESTORED",
    `the backend of stream ${streamArn} was restored to an earlier state: start again from what is stored`,
    { streamArn },
  );
}

/** Returns the error for a stream that is disabled, or that no longer exists. */
export function changedError(
  streamArn: string,
  currentArn: string | undefined,
  complete: boolean,
  cause?: unknown,
): FeedError<"FEED_STREAM_CHANGED"> {
  const current = currentArn === undefined ? "the table has none now" : `the table has ${currentArn} now`;
  const read = complete ? "all its records were read" : "some of its records may not have been read";
  return new FeedError(
    "FEED_STREAM_CHANGED",
    `stream ${streamArn} was disabled, and ${read}; ${current}`,
    { streamArn, currentArn, complete },
    { cause },
  );
}
