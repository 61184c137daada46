import { type CancellationReason, DynamoError, TablekeepError, tablesOf } from "@tablekeep/core";
import type { FaultyRequest } from "./faulty-request.ts";

/** DynamoDB's message for each exception that a fault can throw. */
const serviceMessages: Readonly<Record<string, string>> = {
  ProvisionedThroughputExceededException:
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.",
  ThrottlingException: "Rate of requests exceeds the allowed throughput.",
  RequestLimitExceeded: "Throughput exceeds the current throughput limit for your account.",
  InternalServerError: "Internal server error",
  TransactionConflictException: "Transaction is ongoing for the item",
};

/** DynamoDB's message for each code of a cancellation reason; `None` has none. */
const reasonMessages: Readonly<Record<string, string>> = {
  ConditionalCheckFailed: "The conditional request failed",
  TransactionConflict: "Transaction is ongoing for the item",
  ItemCollectionSizeLimitExceeded: "Collection size exceeded.",
  ProvisionedThroughputExceeded:
    "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API.",
  ThrottlingError: "Throughput exceeds the current capacity of your table or index.",
  ValidationError: "Validation failed",
};

/** DynamoDB's refusal of a request. */
export function refusal(
  request: FaultyRequest,
  exception: string,
  extra: { throttlingReason?: string; ambiguous?: boolean } = {},
): DynamoError {
  const [table] = tablesOf(request.operation, request.input);
  const { throttlingReason, ...given } = extra;
  return new DynamoError({
    exception,
    serviceMessage: serviceMessages[exception] ?? "injected by a fault schedule",
    operation: request.operation,
    table,
    ...(throttlingReason && {
      throttlingReasons: [
        {
          reason: throttlingReason,
          resource: `arn:aws:dynamodb:us-east-1:000000000000:table/${table ?? ""}`,
        },
      ],
    }),
    ...given,
  });
}

/** DynamoDB's answer to a transaction that it gave up, one reason code per action. */
export function cancellation(request: FaultyRequest, codes: readonly string[]): DynamoError {
  const cancellationReasons = codes.map((Code): CancellationReason => {
    const Message = reasonMessages[Code];
    return Message === undefined ? { Code } : { Code, Message };
  });
  return new DynamoError({
    exception: "TransactionCanceledException",
    serviceMessage: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(", ")}]`,
    operation: request.operation,
    table: tablesOf(request.operation, request.input)[0],
    cancellationReasons,
  });
}

const endpoint = "fault schedule";

/** Nothing was sent. */
export function unreachable(): TablekeepError {
  return new TablekeepError({
    code: "CLIENT_UNREACHABLE",
    kind: "unavailable",
    message: "could not connect (injected)",
    details: { endpoint, attempts: 1, reason: "ECONNREFUSED" },
    retryable: true,
  });
}

/** It was sent, and no answer came. */
export function connectionLost(request: FaultyRequest): TablekeepError {
  return new TablekeepError({
    code: "CLIENT_CONNECTION_LOST",
    kind: "unavailable",
    message: "the connection closed before the response (injected)",
    details: { endpoint, attempts: 1 },
    retryable: true,
    ambiguous: request.write,
  });
}

/** It was sent, and the time is up. */
export function deadlineExceeded(request: FaultyRequest, deadlineMs: number): TablekeepError {
  return new TablekeepError({
    code: "CLIENT_DEADLINE_EXCEEDED",
    kind: "unavailable",
    message: `deadline of ${deadlineMs} ms exceeded (injected)`,
    details: { deadlineMs, attempts: 1 },
    ambiguous: request.write,
  });
}

/** It was sent, and the caller gave up. */
export function aborted(request: FaultyRequest, reason: unknown): TablekeepError {
  return new TablekeepError({
    code: "CLIENT_ABORTED",
    kind: "aborted",
    message: "the caller aborted the call",
    details: { attempts: 1 },
    ambiguous: request.write,
    cause: reason,
  });
}
