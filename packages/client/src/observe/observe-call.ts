import type { CallOptions, TablekeepError } from "@tablekeep/core";
import { watchRetries } from "../retry/retry-policy.ts";

/** The hooks of an observer for one call. Logs, meters and traces are observers. */
export interface CallObserver<Output> {
  /** Called before each retry, with the error of the previous attempt if it is known. */
  readonly onRetry?: (reason: TablekeepError | undefined) => void;
  readonly onSuccess: (output: Output, retries: number) => void;
  readonly onFailure: (error: unknown, retries: number) => void;
}

/** Sends a call and reports its retries and its end to `observer`. Settles as the call does. */
export async function observeCall<Output>(
  options: CallOptions,
  send: (options: CallOptions) => Promise<Output>,
  observer: CallObserver<Output>,
): Promise<Output> {
  let retries = 0;
  const watched = watchRetries(options, (_attempt, reason) => {
    retries += 1;
    observer.onRetry?.(reason);
  });
  let output: Output;
  try {
    output = await send(watched);
  } catch (error) {
    observer.onFailure(error, retries);
    throw error;
  }
  observer.onSuccess(output, retries);
  return output;
}
