import {
  type CancellationReason,
  DynamoError,
  type DynamoErrorInit,
  type Item,
  type OperationName,
  type ThrottlingReason,
} from "@tablekeep/core";
import { decodeErrorBody } from "./decode-output.ts";

/** What is known of a refused request beside the body of the answer. */
export interface RefusedRequest {
  readonly operation: OperationName;
  readonly table: string | undefined;
  readonly httpStatus: number;
  readonly requestId: string | undefined;
}

interface ErrorBody {
  readonly __type?: unknown;
  readonly message?: unknown;
  readonly Message?: unknown;
  readonly Item?: Item;
  readonly CancellationReasons?: readonly CancellationReason[];
  readonly ThrottlingReasons?: readonly ThrottlingReason[];
}

/** DynamoDB's refusal as an error; undefined if the body is not one of DynamoDB's. */
export function decodeError(text: string, request: RefusedRequest): DynamoError | undefined {
  const body = parse(text);
  const exception = exceptionName(body?.__type);
  if (body === undefined || exception === undefined) return undefined;
  const message = body.message ?? body.Message;
  const init: DynamoErrorInit = {
    exception,
    serviceMessage: typeof message === "string" ? message : "",
    ...withoutUndefined({
      ...request,
      item: body.Item,
      cancellationReasons: body.CancellationReasons,
      throttlingReasons: body.ThrottlingReasons,
    }),
  };
  return new DynamoError(init);
}

function parse(text: string): ErrorBody | undefined {
  try {
    const body = decodeErrorBody(text);
    return typeof body === "object" && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}

/** `com.amazonaws.dynamodb.v20120810#Name:http://…` → `Name`. */
function exceptionName(type: unknown): string | undefined {
  if (typeof type !== "string") return undefined;
  const name = type.slice(type.indexOf("#") + 1).split(":")[0];
  return name === "" ? undefined : name;
}

function withoutUndefined<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}
