import { DynamoError } from "@tablekeep/core";

/** The refusals of the protocol itself; DynamoDB sends the first two without a word. */
export function unknownOperation(): DynamoError {
  return new DynamoError({ exception: "UnknownOperationException", serviceMessage: "" });
}

export function malformed(): DynamoError {
  return new DynamoError({ exception: "SerializationException", serviceMessage: "" });
}

export function tooLarge(): DynamoError {
  return new DynamoError({
    exception: "RequestEntityTooLarge",
    serviceMessage: "Request size exceeded the limit",
    httpStatus: 413,
  });
}

/** Nothing was done, and the same request may succeed soon: clients wait and repeat it. */
export function busy(): DynamoError {
  return new DynamoError({
    exception: "ThrottlingException",
    serviceMessage: "Too many large requests at the same time",
  });
}
