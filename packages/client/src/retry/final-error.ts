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
  const known = error.details as { attempts?: number };
  if (error.ambiguous === history.ambiguous && known.attempts === history.attempts && cause === error.cause)
    return error;
  const { attempts, ambiguous } = history;
  const stack = error.stack;
  const restated = isDynamoError(error)
    ? new DynamoError({ ...(error.details as DynamoErrorDetails), attempts, ambiguous, cause })
    : new ClientError(
        error.code as ClientErrorCode,
        error.message,
        { ...error.details, attempts } as ClientErrorDetails[ClientErrorCode],
        { ambiguous, cause },
      );
  if (stack !== undefined) restated.stack = stack;
  return restated;
}
