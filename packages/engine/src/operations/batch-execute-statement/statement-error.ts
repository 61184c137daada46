import { type BatchStatementError, type BatchStatementErrorCodeEnum, isDynamoError } from "@tablekeep/core";

const codes: Readonly<Record<string, BatchStatementErrorCodeEnum>> = {
  AccessDeniedException: "AccessDenied",
  ConditionalCheckFailedException: "ConditionalCheckFailed",
  DuplicateItemException: "DuplicateItem",
  ItemCollectionSizeLimitExceededException: "ItemCollectionSizeLimitExceeded",
  ProvisionedThroughputExceededException: "ProvisionedThroughputExceeded",
  RequestLimitExceeded: "RequestLimitExceeded",
  ResourceNotFoundException: "ResourceNotFound",
  ThrottlingException: "ThrottlingError",
  TransactionConflictException: "TransactionConflict",
  ValidationException: "ValidationError",
};

/** What is said of a statement that failed; undefined if it is the whole request that failed. */
export function statementError(error: unknown): BatchStatementError | undefined {
  if (!isDynamoError(error)) return undefined;
  const { exception, serviceMessage, item } = error.details;
  const code = Object.hasOwn(codes, exception) ? codes[exception] : undefined;
  return code && { Code: code, Message: serviceMessage, ...(item && { Item: item }) };
}
