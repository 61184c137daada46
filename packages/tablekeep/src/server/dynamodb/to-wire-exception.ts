import { type CancellationReason, DynamoError, isDynamoError, isTablekeepError } from "@tablekeep/core";
import { wireItem } from "./wire-item.ts";

/** An error as the protocol has it. */
export interface WireException {
  readonly status: number;
  readonly body: string;
}

const namespaces: Readonly<Record<string, string>> = {
  ValidationException: "com.amazon.coral.validate",
  SerializationException: "com.amazon.coral.service",
  UnknownOperationException: "com.amazon.coral.service",
  UnrecognizedClientException: "com.amazon.coral.service",
  MissingAuthenticationTokenException: "com.amazon.coral.service",
  IncompleteSignatureException: "com.amazon.coral.service",
  InvalidSignatureException: "com.amazon.coral.service",
  AccessDeniedException: "com.amazon.coral.service",
};
const serviceNamespace = "com.amazonaws.dynamodb.v20120810";

/** The one place where our errors become DynamoDB's. An error that is none of DynamoDB's is a server fault. */
export function toWireException(error: unknown): WireException {
  if (!isDynamoError(error)) return internalError(error);
  const { exception, serviceMessage, httpStatus, item, cancellationReasons, throttlingReasons } =
    error.details;
  const type = `${namespaces[exception] ?? serviceNamespace}#${exception}`;
  const body = {
    __type: type,
    // This one exception spells it with a capital letter.
    [exception === "SerializationException" ? "Message" : "message"]: serviceMessage,
    ...(item && { Item: wireItem(item) }),
    ...(cancellationReasons && { CancellationReasons: cancellationReasons.map(wireReason) }),
    ...(throttlingReasons && { ThrottlingReasons: throttlingReasons }),
  };
  return { status: httpStatus, body: JSON.stringify(body) };
}

function wireReason({ Item, ...reason }: CancellationReason): object {
  return Item === undefined ? reason : { ...reason, Item: wireItem(Item) };
}

/** A full or failing disk, a closed engine: the client may try again, and must not take the write for undone. */
function internalError(error: unknown): WireException {
  const unavailable =
    isTablekeepError(error) && (error.kind === "closed" || error.code === "ENGINE_DISK_FULL");
  const [status, exception] = unavailable ? [503, "ServiceUnavailable"] : [500, "InternalServerError"];
  const message = isTablekeepError(error) ? error.message : "a fault of the server itself";
  return {
    status: status as number,
    body: JSON.stringify({ __type: `${serviceNamespace}#${exception}`, message }),
  };
}

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
