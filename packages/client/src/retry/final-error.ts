import { DynamoError, type DynamoErrorDetails, isDynamoError, type TablekeepError } from "@tablekeep/core";
import { ClientError, type ClientErrorCode, type ClientErrorDetails } from "../client-error.ts";

/** What the whole call knows beyond its last attempt. */
export interface CallHistory {
  readonly attempts: number;
  /** Whether the write may have been applied, by this attempt or an earlier one. */
  readonly ambiguous: boolean;
  /** The failure of the attempt before, where the last one says less. */
  readonly cause?: unknown;
}

/** The error of the last attempt, told as the error of the call. */
export function finalError(error: TablekeepError, history: CallHistory): TablekeepError {
  const cause = history.cause ?? error.cause;
  const { attempts, ambiguous } = history;
  const counts = "attempts" in error.details;
  const sameCount = !counts || error.details.attempts === attempts;
  if (error.ambiguous === ambiguous && sameCount && cause === error.cause) return error;
  const details = counts ? { ...error.details, attempts } : error.details;
  const restated = isDynamoError(error)
    ? new DynamoError({ ...(details as DynamoErrorDetails), ambiguous, cause })
    : new ClientError(
        error.code as ClientErrorCode,
        error.message,
        details as ClientErrorDetails[ClientErrorCode],
        { ambiguous, cause },
      );
  if (error.stack !== undefined) restated.stack = error.stack;
  return restated;
}
