import type { TablekeepError } from "@tablekeep/core";
import type { DocumentObject } from "../document/document-value.ts";
import type { ShadowErrorCode } from "../model/shadow-error.ts";
import type { DocumentContext } from "./aws-documents.ts";
import type { AwsShadowName } from "./aws-names.ts";

/** An error in AWS IoT's form. */
export interface AwsError {
  /** The HTTP status; on MQTT the `code`. */
  readonly status: number;
  /** The exception, as the header `x-amzn-errortype` names it. */
  readonly exception: string;
  readonly message: string;
}

/** AWS: exceptions of the data plane, by status. */
const exceptions: Readonly<Record<number, string>> = {
  400: "InvalidRequestException",
  401: "UnauthorizedException",
  403: "ForbiddenException",
  404: "ResourceNotFoundException",
  405: "MethodNotAllowedException",
  409: "ConflictException",
  413: "RequestEntityTooLargeException",
  415: "UnsupportedDocumentEncodingException",
  429: "ThrottlingException",
  500: "InternalFailureException",
  503: "ServiceUnavailableException",
};

/** AWS: device-shadow-error-messages. Our own wording where AWS has none. */
const messages: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  403: "Forbidden",
  405: "Method not allowed",
  409: "Version conflict",
  413: "The payload exceeds the maximum size allowed",
  415: "Unsupported documented encoding; supported encoding is UTF-8",
  429: "Rate exceeded",
  500: "Internal service failure",
  503: "Service unavailable",
};

const statuses: Readonly<Partial<Record<string, number>>> = {
  SHADOW_OPTION_INVALID: 400,
  SHADOW_OPERATION_INVALID: 400,
  SHADOW_VALUE_INVALID: 400,
  SHADOW_REQUEST_INVALID: 400,
  SHADOW_TOO_DEEP: 400,
  SHADOW_SCHEMA_VIOLATION: 400,
  SHADOW_QUERY_INVALID: 400,
  SHADOW_NOT_FOUND: 404,
  SHADOW_VERSION_CONFLICT: 409,
  SHADOW_DUPLICATE_MODEL: 409,
  SHADOW_CONTENTION: 503,
  SHADOW_TOO_LARGE: 413,
  SHADOW_ENCODING_INVALID: 415,
} satisfies Partial<Record<ShadowErrorCode, number>>;

/**
 * Returns an error in AWS IoT's form. A problem of the store, such as a missing table, is never a 404 for the client. A write
 * that may be stored is a 500; every other status means that nothing was written.
 *
 * @example
 * awsErrorOf(error, { thingName: "lamp", shadowName: "" }).status; // 409
 */
export function awsErrorOf(error: TablekeepError, { thingName, shadowName }: AwsShadowName): AwsError {
  const status = statusOf(error);
  if (status === 404) return awsError(404, `No shadow exists with name: '${shadowName || thingName}'`);
  return awsError(status, status === 400 ? error.message : undefined);
}

/**
 * Returns the error for a status, such as those of the listener itself: 401, 403, 405, 429.
 *
 * @example
 * awsError(405).exception; // "MethodNotAllowedException"
 */
export function awsError(status: number, message?: string): AwsError {
  return {
    status,
    exception: exceptions[status] ?? "InternalFailureException",
    message: message ?? messages[status] ?? "Invalid request",
  };
}

function statusOf({ code, kind, ambiguous }: TablekeepError): number {
  const known = statuses[code];
  if (known !== undefined) return known;
  if (ambiguous) return 500;
  if (kind === "throttled") return 429;
  return kind === "unavailable" || kind === "aborted" || kind === "closed" ? 503 : 500;
}

/**
 * Returns the document of a `rejected` message.
 *
 * @example
 * rejectedDocument(awsError(409), { timestamp: 1795022556, clientToken: "t1" });
 * // { code: 409, message: "Version conflict", timestamp: 1795022556, clientToken: "t1" }
 */
export function rejectedDocument(
  { status, message }: AwsError,
  { timestamp, clientToken }: DocumentContext,
): DocumentObject {
  return { code: status, message, timestamp, ...(clientToken !== undefined && { clientToken }) };
}

/**
 * Returns the body of an HTTP error. It has no numeric `code`: the SDK for Go reads that as the name of the exception.
 *
 * @example
 * response.end(printJson(errorBody(awsError(403), randomUUID())));
 */
export function errorBody({ message }: AwsError, traceId: string): DocumentObject {
  return { message, traceId };
}
