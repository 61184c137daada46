import {
  type DynamoErrorDetails,
  type DynamoPort,
  type Get,
  type Item,
  isDynamoError,
  isTablekeepError,
} from "@tablekeep/core";
import { ClientError } from "../client-error.ts";
import { type OperationOptions, operationOptionChecks, startOperation } from "../operation-options.ts";
import { checkOptions } from "../options/check-options.ts";
import { backoffMs, throttleBackoff } from "../retry/backoff.ts";
import { cancellationMeaning } from "./cancellation-meaning.ts";
import { maxTransactActions } from "./transact-write-params.ts";

/**
 * Reads up to 100 items as of one moment. They are in the order of the gets, `undefined` where there is none. Items that
 * a write holds, and throttled ones, are tried again until the deadline.
 */
export async function transactGet(
  port: DynamoPort,
  gets: readonly Get[],
  options: OperationOptions = {},
): Promise<(Item | undefined)[]> {
  checkOptions(options, operationOptionChecks);
  if (gets.length > maxTransactActions) {
    throw new ClientError(
      "CLIENT_LIMIT_EXCEEDED",
      `a transaction of ${gets.length} reads; DynamoDB takes ${maxTransactActions} (read less at once)`,
      { limit: "transaction actions", actual: gets.length, maximum: maxTransactActions },
    );
  }
  const { deadline, random } = startOperation(options);
  const TransactItems = gets.map((each) => ({ Get: each }));
  for (let retry = 0; ; retry++) {
    try {
      const { Responses = [] } = await port.transactGetItems({ TransactItems }, deadline.callOptions());
      return gets.map((_, index) => Responses[index]?.Item);
    } catch (error) {
      const waitMs = backoffMs(retry, random, throttleBackoff);
      if (!isWorthWaiting(error) || waitMs >= deadline.remainingMs()) throw error;
      await deadline.sleep(waitMs);
    }
  }
}

function isWorthWaiting(error: unknown): boolean {
  if (isDynamoError(error, "TransactionCanceledException"))
    return cancellationMeaning((error.details as DynamoErrorDetails).cancellationReasons ?? []) === "retry";
  return isTablekeepError(error) && error.retryable;
}
