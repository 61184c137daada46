import { type CancellationReason, DynamoError, isDynamoError, isTablekeepError } from "@tablekeep/core";
import { wireItem } from "../../json/dynamodb-json.ts";
import { internalErrorText } from "../http/responses.ts";

/** The exceptions of the protocol itself; DynamoDB sends the first two without a message. */
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

/** Nothing was done, and the same request may succeed soon: clients back off and retry. */
export function busy(): DynamoError {
  return new DynamoError({
    exception: "ThrottlingException",
    serviceMessage: "Too many large requests at the same time",
  });
}

/** An error in the form of the protocol. */
export interface WireException {
  readonly status: number;
  readonly body: string;
}

const frameworkNamespace = "com.amazon.coral.service";
const serviceNamespace = "com.amazonaws.dynamodb.v20120810";

/** The exceptions that the framework below DynamoDB throws, or its validation. All others are the service's own. */
const namespaces: ReadonlyMap<string, string> = new Map([
  ["ValidationException", "com.amazon.coral.validate"],
  ...[
    "SerializationException",
    "UnknownOperationException",
    "UnrecognizedClientException",
    "MissingAuthenticationTokenException",
    "IncompleteSignatureException",
    "InvalidSignatureException",
    "AccessDeniedException",
  ].map((name) => [name, frameworkNamespace] as const),
]);

/** The exceptions that spell `Message` with a capital letter, in AWS's model of the service and on the wire. */
const capitalMessage: ReadonlySet<string> = new Set([
  "SerializationException",
  "TransactionCanceledException",
  "TransactionInProgressException",
  "IdempotentParameterMismatchException",
]);

/** The one place where our errors become DynamoDB's. Any other error is a server error. */
export function toWireException(error: unknown): WireException {
  if (!isDynamoError(error)) return serverFault(error);
  const { exception, serviceMessage, httpStatus, item, cancellationReasons, throttlingReasons } =
    error.details;
  const body = {
    __type: `${namespaces.get(exception) ?? serviceNamespace}#${exception}`,
    ...(serviceMessage !== "" && { [capitalMessage.has(exception) ? "Message" : "message"]: serviceMessage }),
    ...(item && { Item: wireItem(item) }),
    ...(cancellationReasons && { CancellationReasons: cancellationReasons.map(wireReason) }),
    ...(throttlingReasons && { ThrottlingReasons: throttlingReasons }),
  };
  return { status: httpStatus, body: JSON.stringify(body) };
}

function wireReason({ Item, ...reason }: CancellationReason): object {
  return Item === undefined ? reason : { ...reason, Item: wireItem(Item) };
}

/** A full or failing disk, a closed engine: the client may retry, and must not assume that the write was not applied. */
function serverFault(error: unknown): WireException {
  const own = isTablekeepError(error);
  const unavailable = own && (error.kind === "closed" || error.code === "ENGINE_DISK_FULL");
  return {
    status: unavailable ? 503 : 500,
    body: JSON.stringify({
      __type: `${serviceNamespace}#${unavailable ? "ServiceUnavailable" : "InternalServerError"}`,
      message: own ? error.message : internalErrorText,
    }),
  };
}
