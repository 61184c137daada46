import { describe, expect, test } from "vitest";
import { DynamoError, dynamoErrorCode, isDynamoError, isTablekeepError } from "./index.ts";

describe("DynamoError", () => {
  test("takes kind, status and retry advice from the exception's name", () => {
    const error = new DynamoError({ exception: "ThrottlingException", serviceMessage: "slow down" });
    expect(error).toMatchObject({ kind: "throttled", retryable: true, ambiguous: false });
    expect(error.details).toMatchObject({ httpStatus: 400, attempts: 1, serviceMessage: "slow down" });
  });

  test("a server fault may have applied the write", () => {
    expect(new DynamoError({ exception: "InternalServerError", serviceMessage: "" }).ambiguous).toBe(true);
    expect(new DynamoError({ exception: "Odd", serviceMessage: "", httpStatus: 502 }).ambiguous).toBe(true);
  });

  test("an earlier lost attempt makes an error ambiguous", () => {
    const init = {
      exception: "ConditionalCheckFailedException",
      serviceMessage: "The conditional request failed",
    };
    expect(new DynamoError(init).ambiguous).toBe(false);
    expect(new DynamoError({ ...init, ambiguous: true }).ambiguous).toBe(true);
  });

  test("the message names operation, table and what to do, and keeps DynamoDB's words apart", () => {
    const error = new DynamoError({
      exception: "ResourceNotFoundException",
      serviceMessage: "Requested resource not found",
      operation: "GetItem",
      table: "carts",
    });
    expect(error.message).toMatch(/^GetItem on carts: .*Requested resource not found \(.+\)$/);
    expect(error.details.serviceMessage).toBe("Requested resource not found");
  });

  test("an unlisted exception gets its kind from its status", () => {
    const kind = (httpStatus: number) =>
      new DynamoError({ exception: "New", serviceMessage: "", httpStatus }).kind;
    expect([400, 403, 429, 500].map(kind)).toEqual(["invalid", "denied", "throttled", "unavailable"]);
    expect(new DynamoError({ exception: "toString", serviceMessage: "" }).kind).toBe("invalid");
  });

  test("codes are stable", () => {
    expect(dynamoErrorCode("ConditionalCheckFailedException")).toBe("DYNAMO_CONDITIONAL_CHECK_FAILED");
    expect(dynamoErrorCode("InternalServerError")).toBe("DYNAMO_INTERNAL_SERVER");
    expect(dynamoErrorCode("RequestLimitExceeded")).toBe("DYNAMO_REQUEST_LIMIT_EXCEEDED");
  });

  test("guards distinguish exceptions and reject other errors", () => {
    const error = new DynamoError({ exception: "ResourceInUseException", serviceMessage: "" });
    expect(isDynamoError(error)).toBe(true);
    expect(isDynamoError(error, "ResourceInUseException")).toBe(true);
    expect(isDynamoError(error, "ResourceNotFoundException")).toBe(false);
    expect(isTablekeepError(error, "DYNAMO_RESOURCE_IN_USE")).toBe(true);
    expect(isTablekeepError(Object.assign(new Error("x"), { code: "DYNAMO_X" }))).toBe(false);
    expect(isTablekeepError(undefined)).toBe(false);
  });
});
