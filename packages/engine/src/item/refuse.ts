import { DynamoError, type DynamoExceptionName } from "@tablekeep/core";

/** DynamoDB's refusal of a request that is wrong in itself. */
export function invalid(message: string): DynamoError<"ValidationException"> {
  return new DynamoError({ exception: "ValidationException", serviceMessage: message });
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
