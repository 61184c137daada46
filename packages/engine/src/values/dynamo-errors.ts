import { DynamoError, type DynamoExceptionName, isDynamoError } from "@tablekeep/core";

/** DynamoDB's refusal of a request that is wrong in itself. */
export function invalid(message: string): DynamoError<"ValidationException"> {
  return new DynamoError({ exception: "ValidationException", serviceMessage: message });
}

const ofWholeRequests = new WeakSet<Error>();

/** The same for what is wrong with a whole transaction where it is wrong with one action of it. */
export function invalidRequest(message: string): DynamoError<"ValidationException"> {
  const error = invalid(message);
  ofWholeRequests.add(error);
  return error;
}

/** Whether {@link invalidRequest} made it. */
export function isOfWholeRequest(error: unknown): boolean {
  return error instanceof Error && ofWholeRequests.has(error);
}

/** The most common beginning of such a refusal. */
export function invalidParameter(message: string): DynamoError<"ValidationException"> {
  return invalid(`One or more parameter values were invalid: ${message}`);
}

/**
 * Runs the part of PutItem, UpdateItem or DeleteItem that needs no table: values, expressions and parameters. Since 2026
 * AWS reports what is wrong there as one of its validation errors; what depends on the table, and all other operations,
 * have no such prefix. Source: the Parity Suite (paritysuite/dynamodb-conformance) of 2026-10-09, `error-messages` and
 * `valueLayers`, captured in eu-west-2, us-east-1, eu-west-1 and us-west-2.
 */
export function asValidationError<Result>(check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    if (!isDynamoError(error, "ValidationException")) throw error;
    throw invalid(`1 validation error detected: ${error.details.serviceMessage}`);
  }
}

/** Runs the same part of other operations. */
export function asItIs<Result>(check: () => Result): Result {
  return check();
}

/** DynamoDB's refusal of a request whose JSON is of the wrong shape. */
export function unreadable(message: string): DynamoError<"SerializationException"> {
  return new DynamoError({ exception: "SerializationException", serviceMessage: message });
}

/** Any other refusal. */
export function refusal<Exception extends DynamoExceptionName>(
  exception: Exception,
  message: string,
): DynamoError<Exception> {
  return new DynamoError({ exception, serviceMessage: message });
}
