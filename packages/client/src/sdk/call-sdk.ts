import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import {
  type CallOptions,
  type Clock,
  type Dispatch,
  type InputOf,
  isDynamoError,
  isTablekeepError,
  type OperationName,
  type OutputOf,
  operationTraits,
  type TablekeepError,
  tableOf,
  withDeadline,
} from "@tablekeep/core";
import { ClientError } from "../base/client-error.ts";
import { callEffect, withRequestToken } from "../retry/call-effect.ts";
import { abortedBy, defaultDeadlineMs } from "../retry/deadline.ts";
import { notifyRetry } from "../retry/retry-policy.ts";
import { finalError, type RetrySettings, withRetries } from "../retry/with-retries.ts";
import { type AttemptLog, newCommand, watchAttempts, withoutSdkRetries } from "./sdk-commands.ts";
import { endpointOf, type FailedCall, translateSdkError } from "./translate-error.ts";

/** The part of both SDK clients that sends. */
interface Sender {
  send(command: never, options: { abortSignal: AbortSignal }): Promise<object>;
}

/** Settings of the calls. */
interface CallSettings {
  readonly deadlineMs?: number;
  readonly retry: RetrySettings;
}

/** Every operation as a call of the SDK. */
export function callSdk(
  client: DynamoDBClient,
  streams: () => Promise<DynamoDBStreamsClient>,
  { retry, ...given }: CallSettings,
): Dispatch {
  const { clock } = retry;
  // The client retries everything but conflicts itself, unless it is kept from retrying.
  const afterClient = { ...retry, retries: conflictsOnly };

  return async <Name extends OperationName>(operation: Name, input: InputOf<Name>, options: CallOptions) => {
    const effect = callEffect(operation, input, options);
    const deadlineMs = options.deadlineMs ?? given.deadlineMs ?? defaultDeadlineMs;
    const endsAt = clock.monotonic() + deadlineMs;
    const limits = { clock, options, deadlineMs, endsAt, isWrite: effect !== "read" };
    const sending = withRequestToken(operation, input);
    // The client's own number of attempts cannot be lowered for one request.
    const isLowered = (options.maxAttempts ?? Number.POSITIVE_INFINITY) < (await client.config.maxAttempts());
    const isRetriedHere = effect === "once" || isLowered;
    let earlierAttempts = 0;
    let attempt = 1;
    // The client's retries and ours, counted as one.
    const onRetry = (reason?: TablekeepError) => notifyRetry(options, ++attempt, reason);

    const send = async (): Promise<OutputOf<Name>> => {
      const command = await newCommand(operation, sending);
      if (isRetriedHere) withoutSdkRetries(command);
      const sender = (operationTraits[operation].service === "streams" ? await streams() : client) as Sender;
      const failedCall = async () => {
        const table = tableOf(operation, input);
        return { operation, table, isWrite: limits.isWrite, endpoint: await endpointOf(sender) };
      };
      const log = watchAttempts(command, async (failure) => {
        onRetry(translateSdkError(failure, { ...(await failedCall()), wasSent: true }));
      });
      try {
        const output = await untilOver(limits, (abortSignal) =>
          sender.send(command as never, { abortSignal }),
        );
        return withoutMetadata(output) as OutputOf<Name>;
      } catch (error) {
        const failed = await failedCall();
        const last = translateSdkError(error, { ...failed, wasSent: log.sent() > 0 });
        const reported = withEarlierAttempts(last, log, failed);
        earlierAttempts += attemptsOf(reported) - 1;
        throw reported;
      }
    };
    const settings = isRetriedHere ? retry : afterClient;
    const retried = {
      effect,
      options: { ...options, onRetry: (_: number, reason?: TablekeepError) => onRetry(reason) },
      endsAt,
    };
    return withRetries(settings, retried, send).catch((error: unknown) => {
      if (!isTablekeepError(error)) throw error;
      const attempts = attemptsOf(error) + earlierAttempts;
      throw finalError(error, { attempts, ambiguous: error.ambiguous, cause: error.cause });
    });
  };
}

const conflictsOnly = (error: unknown): boolean => isDynamoError(error, "TransactionConflictException");

/** Returns the last error of the SDK with the number of attempts, ambiguous if any of them may have been applied. */
function withEarlierAttempts(
  last: TablekeepError,
  log: AttemptLog,
  failed: Omit<FailedCall, "wasSent">,
): TablekeepError {
  const attempts = Math.max(log.sent(), attemptsOf(last));
  const doubted = log.failures.some(
    (failure) => translateSdkError(failure, { ...failed, wasSent: true }).ambiguous,
  );
  // The SDK reports attempts that were not observed here, such as retries of other middleware: nothing is certain then.
  const unseen = log.sent() === 0 && attempts > 1;
  const ambiguous = failed.isWrite && (last.ambiguous || doubted || unseen);
  return finalError(last, { attempts, ambiguous, cause: last.cause });
}

function attemptsOf(error: { readonly details: { readonly attempts?: number } }): number {
  return error.details.attempts ?? 1;
}

function withoutMetadata(output: object): object {
  const { $metadata: _, ...own } = output as { $metadata?: unknown };
  return own;
}

/** When a call ends at the latest, and what its error then says. */
interface CallLimits {
  readonly clock: Clock;
  readonly options: CallOptions;
  readonly deadlineMs: number;
  /** The moment of `clock.monotonic()` at which the call is over. */
  readonly endsAt: number;
  readonly isWrite: boolean;
}

/**
 * Runs `send` until it settles, the deadline passes or the caller aborts; then its signal is aborted too. Does not rely
 * on that: the call ends in time even if the transport keeps waiting.
 */
async function untilOver<Value>(
  limits: CallLimits,
  send: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const { clock, deadlineMs, endsAt, isWrite } = limits;
  const { signal } = limits.options;
  const transport = new AbortController();
  const end = (error: ClientError) => {
    transport.abort(error);
    return error;
  };
  return withDeadline(() => send(transport.signal), {
    clock,
    ms: Math.max(0, endsAt - clock.monotonic()),
    signal,
    timedOut: () =>
      end(
        new ClientError(
          "CLIENT_DEADLINE_EXCEEDED",
          `deadline of ${deadlineMs} ms exceeded before a response arrived: raise deadlineMs, and read the item before you repeat a write`,
          { deadlineMs, attempts: 1 },
          { ambiguous: isWrite },
        ),
      ),
    aborted: (by, started) => end(started ? abortedBy(by, 1, isWrite) : abortedBy(by)),
  });
}
