import { DynamoError, type DynamoExceptionName } from "@tablekeep/core";

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
