import {
  type DynamoErrorDetails,
  type DynamoPort,
  type Get,
  type Item,
  isDynamoError,
  type TablekeepError,
} from "@tablekeep/core";
import { ClientError } from "../client-error.ts";
import { type OperationOptions, operationOptionChecks, startOperation } from "../operation-options.ts";
import { checkOptions } from "../options/check-options.ts";
import { ownError } from "../own-error.ts";
import { OperationRetries } from "../retry/operation-retries.ts";
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
  const run = startOperation(options);
  const retries = new OperationRetries(port, run);
  const TransactItems = gets.map((each) => ({ Get: each }));
  for (;;) {
    try {
      const { Responses = [] } = await port.transactGetItems({ TransactItems }, retries.callOptions());
      retries.succeeded();
      return gets.map((_, index) => Responses[index]?.Item);
    } catch (error) {
      const failure = ownError(error);
      if (!isRetryable(failure)) throw failure;
      if (!(await retries.wait(failure))) throw run.deadline.aborted() ?? failure;
    }
  }
}

function isRetryable(error: TablekeepError): boolean {
  if (isDynamoError(error, "TransactionCanceledException"))
    return cancellationMeaning((error.details as DynamoErrorDetails).cancellationReasons ?? []) === "retry";
  return error.retryable;
}
