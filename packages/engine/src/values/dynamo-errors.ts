import { DynamoError, type DynamoExceptionName, isDynamoError } from "@tablekeep/core";
import { isOnlyForOlderLayer } from "./nesting.ts";

/** DynamoDB's error for an invalid request. */
export function invalid(message: string): DynamoError<"ValidationException"> {
  return new DynamoError({ exception: "ValidationException", serviceMessage: message });
}

const newerWordings = new WeakMap<Error, string>();

/**
 * DynamoDB's error for an invalid value. AWS checks values in one of two layers, and each has its own wording. Source: the
 * Parity Suite of 2026-10-09, `valueLayers`.
 */
export function invalidValue(older: string, newer: string): DynamoError<"ValidationException"> {
  const error = invalid(older);
  if (newer !== older) newerWordings.set(error, newer);
  return error;
}

/** Runs an operation of the newer layer: GetItem, BatchGetItem and Query. */
export function inNewerWording<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    const newer = newerWordings.get(error as Error);
    throw newer === undefined ? error : invalid(newer);
  }
}

const wholeRequestErrors = new WeakSet<Error>();

/** Rejects a whole transaction rather than one of its actions. */
export function invalidRequest(message: string): DynamoError<"ValidationException"> {
  const error = invalid(message);
  wholeRequestErrors.add(error);
  return error;
}

/** Returns whether {@link invalidRequest} made the error. */
export function rejectsWholeRequest(error: unknown): boolean {
  return error instanceof Error && wholeRequestErrors.has(error);
}

/** The most common prefix of such an error. */
export function invalidParameter(message: string): DynamoError<"ValidationException"> {
  return invalid(`One or more parameter values were invalid: ${message}`);
}

/**
 * Runs the part of PutItem, UpdateItem or DeleteItem that needs no table: values, expressions and parameters. Since
 * 2026 AWS reports problems there in the newer wording with this prefix; problems that depend on the table, and all
 * other operations, have no prefix. Source: the Parity Suite (paritysuite/dynamodb-conformance) of 2026-10-09,
 * `error-messages` and `valueLayers`, captured in eu-west-2, us-east-1, eu-west-1 and us-west-2.
 */
export function withValidationPrefix<Result>(check: () => Result, request: unknown): Result {
  try {
    return check();
  } catch (error) {
    if (!isDynamoError(error, "ValidationException") || isOnlyForOlderLayer(request)) throw error;
    throw invalid(`1 validation error detected: ${newerWordings.get(error) ?? error.details.serviceMessage}`);
  }
}

/** Runs the same part of other operations. */
export function withoutPrefix<Result>(check: () => Result, _request: unknown): Result {
  return check();
}

/** DynamoDB's error for JSON of the wrong shape. */
export function serializationError(message: string): DynamoError<"SerializationException"> {
  return new DynamoError({ exception: "SerializationException", serviceMessage: message });
}

/** DynamoDB's error for JSON of the wrong type. */
export function typeMismatch(found: unknown, wanted: string): Error {
  if (typeof found === "number") return serializationError(`NUMBER_VALUE cannot be converted to ${wanted}`);
  if (typeof found === "boolean")
    return serializationError(`${found ? "TRUE" : "FALSE"}_VALUE cannot be converted to ${wanted}`);
  if (typeof found === "string") return serializationError(`STRING_VALUE cannot be converted to ${wanted}`);
  if (Array.isArray(found))
    return serializationError("Unrecognized collection type class java.util.ArrayList");
  return serializationError("Start of structure or map found where not expected");
}

/** Marks a message that is not DynamoDB's: it is about the engine, or about a case for which no message of DynamoDB is known. */
export function engineMessage(message: string): string {
  return `Tablekeep: ${message}`;
}

/** Any other error of DynamoDB. */
export function dynamoError<Exception extends DynamoExceptionName>(
  exception: Exception,
  message: string,
): DynamoError<Exception> {
  return new DynamoError({ exception, serviceMessage: message });
}
